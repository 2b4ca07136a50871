import type { Scope } from '../../../base/caller.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'
import { readablePanels } from '../access/panels.ts'

/** The rollups of one test that a query of the requested panels can read. */
export type FoundRollup = {
  /** The rollup job has recorded the days of all results that were stored before this time. UTC, in ClickHouse's format. */
  readonly recordedUpto: string
  /**
   * The builds of each day. The key is the day, in days since 1970. A day is in the map only if every panel either has a
   * rollup of this day or has no results up to this day.
   */
  readonly good: ReadonlyMap<number, readonly number[]>
}

export type RequestedDays = {
  readonly test: string
  readonly panels: readonly number[]
  readonly version: string
  readonly first: number
  readonly last: number
}

const statement = {
  name: 'find-rolled-days',
  text: `
    WITH readable AS (SELECT id FROM ${readablePanels} WHERE id = ANY ($3)), found AS (
      SELECT day - date '1970-01-01' AS day, build FROM rollup_days
      WHERE test = $2 AND panel_id IN (SELECT id FROM readable) AND NOT stale AND version = $4
        AND day BETWEEN date '1970-01-01' + $5::integer AND date '1970-01-01' + $6::integer
    )
    SELECT (SELECT count(*)::integer FROM readable) AS readable,
      to_char(recorded_upto AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS recorded_upto,
      ARRAY(SELECT first_day - date '1970-01-01' FROM rollup_panels WHERE test = $2 AND panel_id IN (SELECT id FROM readable)) AS first_days,
      (SELECT coalesce(array_agg(day), '{}') FROM found) AS days,
      (SELECT coalesce(array_agg(build::double precision), '{}') FROM found) AS builds
    FROM rollup_tests WHERE test = $2`,
}

type Row = { readable: number; recorded_upto: string; first_days: number[]; days: number[]; builds: number[] }

/**
 * Returns null if rollups of the test have never been recorded, or if the caller has lost access to one of the panels after the
 * request was planned.
 */
export async function findRolledDays(
  scope: Scope,
  postgres: Postgres,
  { test, panels, version, first, last }: RequestedDays,
): Promise<FoundRollup | null> {
  const values = [scope.organisationId, test, panels, version, first, last]
  const [row] = await readAsTenant(scope, postgres, (client) => findRows<Row>(client, statement, values))
  if (row === undefined || row.readable !== panels.length) return null
  const builds = Map.groupBy(
    row.days.map((day, index) => ({ day, build: row.builds[index] ?? 0 })),
    ({ day }) => day,
  )
  const good = new Map<number, number[]>()
  for (let day = first; day <= last; day += 1) {
    const found = builds.get(day) ?? []
    // A panel needs no rollup before its first day, because it has no results there.
    const needed = row.first_days.filter((firstDay) => firstDay <= day).length
    if (found.length === needed)
      good.set(
        day,
        found.map(({ build }) => build),
      )
  }
  return { recordedUpto: row.recorded_upto, good }
}
