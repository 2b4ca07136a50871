import { rollupLimits } from '../../../base/limits.ts'
import { lockNumbers } from '../advisory-locks.ts'
import { inTransaction, operate, type Operator } from './operator.ts'

/** How far the sums of a panel's results of a test have come. */
export type RollupStatus = {
  readonly test: string
  readonly panel: string
  readonly first_day: string
  readonly days: number
  readonly good: number
  readonly stale: number
  /** Of the stale ones, those whose last build failed. */
  readonly failed: number
  readonly noted_upto: string
}

export const findRollupStatus = (operator: Operator, panel: string | null): Promise<RollupStatus[]> =>
  operate<RollupStatus>(
    operator,
    `SELECT rollup_panels.test, panels.key AS panel, first_day::text,
       count(day)::integer AS days, count(day) FILTER (WHERE NOT stale)::integer AS good,
       count(day) FILTER (WHERE stale)::integer AS stale,
       count(day) FILTER (WHERE stale AND failed_at IS NOT NULL)::integer AS failed,
       to_char(noted_upto AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS noted_upto
     FROM rollup_panels JOIN panels ON panels.id = panel_id JOIN rollup_tests USING (test)
       LEFT JOIN rollup_days ON rollup_days.test = rollup_panels.test AND rollup_days.panel_id = rollup_panels.panel_id
     WHERE $1::text IS NULL OR panels.key = $1
     GROUP BY rollup_panels.test, panels.key, first_day, noted_upto ORDER BY 1, 2`,
    [panel],
  )

/** Days, counted from 1970, that are not to be answered from their sums any more. */
export type SpoiltDays = {
  readonly test: string | null
  readonly panel: number | null
  readonly from: number
  readonly to: number
}

/**
 * They answer from results until they are built again. A keeper leaves them alone for a while, as those with late results:
 * when whoever changes what is stored dies, the engine goes on with it.
 */
export const spoilDays = (operator: Operator, { test, panel, from, to }: SpoiltDays): Promise<void> =>
  inTransaction(operator, async () => {
    const chosen = `($1::text IS NULL OR test = $1) AND ($2::integer IS NULL OR panel_id = $2)`
    const [first, last] = [`date '1970-01-01' + $3::integer`, `date '1970-01-01' + $4::integer`]
    const values = [test, panel, from, to]
    // As every change that spoils them: a build that begins waits for it.
    await operate(operator, 'SELECT pg_advisory_xact_lock_shared($1)', [lockNumbers.invalidateRollups])
    await operate(
      operator,
      `UPDATE rollup_builds SET spoiled = true
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
 * All results are looked at anew, also those that were stored past the service and look older than the last time it looked.
 * Until then everything answers from results.
 */
export const forgetNoted = async (operator: Operator): Promise<void> =>
  void (await operate(operator, 'DELETE FROM rollup_tests'))

/** The same for the days that are answered from these builds. */
export const spoilBuilds = (operator: Operator, builds: readonly number[]): Promise<void> =>
  inTransaction(operator, async () => {
    await operate(operator, 'SELECT pg_advisory_xact_lock_shared($1)', [lockNumbers.invalidateRollups])
    await operate(operator, 'UPDATE rollup_days SET stale = true WHERE build = ANY ($1) AND NOT stale', [builds])
  })

/** Notes which builds nobody asks any more, and answers those of which that has been so for a while. Nobody may be building. */
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

export const forgetBuilds = async (operator: Operator, builds: readonly number[]): Promise<void> =>
  void (await operate(operator, 'DELETE FROM rollup_builds WHERE id = ANY ($1)', [builds]))
