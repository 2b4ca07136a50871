import type { Scope } from '../../../base/caller.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'
import { readablePanels } from '../access/panels.ts'

/** Of a test and some panels: which days have sums, and until when late results are known. */
export type FoundRollup = {
  /** UTC, as the engine writes times. */
  readonly notedUpto: string
  /** By day, counted from 1970: the builds of its panels. Only days of which every panel has sums, or no results at all. */
  readonly good: ReadonlyMap<number, readonly number[]>
}

export type AskedDays = {
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
      to_char(noted_upto AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS noted_upto,
      ARRAY(SELECT first_day - date '1970-01-01' FROM rollup_panels WHERE test = $2 AND panel_id IN (SELECT id FROM readable)) AS first_days,
      (SELECT coalesce(array_agg(day), '{}') FROM found) AS days,
      (SELECT coalesce(array_agg(build::double precision), '{}') FROM found) AS builds
    FROM rollup_tests WHERE test = $2`,
}

type Row = { readable: number; noted_upto: string; first_days: number[]; days: number[]; builds: number[] }

/** Null when nothing is known of the test, or when one of the panels has been taken from the caller since the plan was made. */
export async function findRolledDays(
  scope: Scope,
  postgres: Postgres,
  { test, panels, version, first, last }: AskedDays,
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
    // A panel has no results before its first day, and needs no sums of them.
    const needed = row.first_days.filter((firstDay) => firstDay <= day).length
    if (found.length === needed)
      good.set(
        day,
        found.map(({ build }) => build),
      )
  }
  return { notedUpto: row.noted_upto, good }
}
