import { rollupLimits } from '../../../base/limits.ts'
import { lockNumbers } from '../advisory-locks.ts'
import { inTransaction, operate, type Operator } from './operator.ts'

/** The state of the rollups of one test and panel. */
export type RollupStatus = {
  readonly test: string
  readonly panel: string
  readonly first_day: string
  readonly days: number
  readonly good: number
  readonly stale: number
  /** The number of stale days whose last build failed. */
  readonly failed: number
  readonly recorded_upto: string
}

export const findRollupStatus = (operator: Operator, panel: string | null): Promise<RollupStatus[]> =>
  operate<RollupStatus>(
    operator,
    `SELECT rollup_panels.test, panels.key AS panel, first_day::text,
       count(day)::integer AS days, count(day) FILTER (WHERE NOT stale)::integer AS good,
       count(day) FILTER (WHERE stale)::integer AS stale,
       count(day) FILTER (WHERE stale AND failed_at IS NOT NULL)::integer AS failed,
       to_char(recorded_upto AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS recorded_upto
     FROM rollup_panels JOIN panels ON panels.id = panel_id JOIN rollup_tests USING (test)
       LEFT JOIN rollup_days ON rollup_days.test = rollup_panels.test AND rollup_days.panel_id = rollup_panels.panel_id
     WHERE $1::text IS NULL OR panels.key = $1
     GROUP BY rollup_panels.test, panels.key, first_day, recorded_upto ORDER BY 1, 2`,
    [panel],
  )

/** Days whose rollups must no longer be used, in days since 1970. */
export type InvalidatedDays = {
  readonly test: string | null
  readonly panel: number | null
  readonly from: number
  readonly to: number
}

/**
 * Invalidates days. Queries read these days from results until the rollup job has built them again. As for days with late
 * results, the job waits for a while before it builds them: if the process that changes stored rows is killed, ClickHouse
 * still completes its statement.
 */
export const invalidateDays = (operator: Operator, { test, panel, from, to }: InvalidatedDays): Promise<void> =>
  inTransaction(operator, async () => {
    const chosen = `($1::text IS NULL OR test = $1) AND ($2::integer IS NULL OR panel_id = $2)`
    const [first, last] = [`date '1970-01-01' + $3::integer`, `date '1970-01-01' + $4::integer`]
    const values = [test, panel, from, to]
    // Every transaction that invalidates days takes this lock. A build waits for the lock before it begins.
    await operate(operator, 'SELECT pg_advisory_xact_lock_shared($1)', [lockNumbers.invalidateRollups])
    await operate(
      operator,
      `UPDATE rollup_builds SET invalidated = true
       WHERE finished_at IS NULL AND ${chosen} AND upto_day >= ${first} AND from_day <= ${last}`,
      values,
    )
    await operate(
      operator,
      `UPDATE rollup_days SET stale = true, late_at = now() WHERE ${chosen} AND day BETWEEN ${first} AND ${last}`,
      values,
    )
  })

/**
 * Makes the job scan all results again. The scan also finds rows that another program has written with an `ingested_at` before
 * the last scan. Until the scan has finished, queries read only results.
 */
export const deleteProgress = async (operator: Operator): Promise<void> =>
  void (await operate(operator, 'DELETE FROM rollup_tests'))

/**
 * Invalidates the days that queries read from these builds. Queries read these days from results until they are rolled up
 * again.
 */
export const invalidateBuilds = (operator: Operator, builds: readonly number[]): Promise<void> =>
  inTransaction(operator, async () => {
    await operate(operator, 'SELECT pg_advisory_xact_lock_shared($1)', [lockNumbers.invalidateRollups])
    await operate(operator, 'UPDATE rollup_days SET stale = true WHERE build = ANY ($1) AND NOT stale', [builds])
  })

/** Marks builds that no day refers to. Returns the builds that were marked more than `deadMs` ago. No build may be running. */
export async function findDeadBuilds(operator: Operator): Promise<number[]> {
  await operate(
    operator,
    `UPDATE rollup_builds SET dead_at = now()
     WHERE dead_at IS NULL AND NOT EXISTS (SELECT FROM rollup_days WHERE build = rollup_builds.id)`,
  )
  const rows = await operate<{ id: number }>(
    operator,
    `SELECT id::double precision AS id FROM rollup_builds WHERE dead_at <= now() - $1 * interval '1 millisecond' LIMIT 10000`,
    [rollupLimits.deadMs],
  )
  return rows.map(({ id }) => id)
}

export const deleteBuilds = async (operator: Operator, builds: readonly number[]): Promise<void> =>
  void (await operate(operator, 'DELETE FROM rollup_builds WHERE id = ANY ($1)', [builds]))
