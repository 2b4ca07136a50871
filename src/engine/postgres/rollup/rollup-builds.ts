import type { ClientBase } from 'pg'
import { limits, rollupLimits } from '../../../base/limits.ts'
import { firstKeptDay } from '../../../compile/metric/retention.ts'
import type { RollupTerms } from '../../../compile/rollup/rollup-terms.ts'
import { findRows, runNamed, type Runner } from '../postgres.ts'
import { withAdvisoryLock } from '../advisory-locks.ts'
import { changeYielding } from '../schema/yielding-change.ts'

/** The time when the last result of a panel and a UTC day was stored. */
export type StoredSince = { readonly panel: number; readonly day: string; readonly latest: string }

export type BegunBuild = {
  readonly build: number
  readonly test: string
  readonly panel: number
  readonly first: number
  readonly last: number
}

/** Selects the days that may be built. */
export type BuildChoice = {
  readonly terms: RollupTerms
  /** The current day, in days since 1970. `from` and `to` have the same unit. */
  readonly today: number
  /** Days with results that were stored later than this time are not built yet. Null means that all days may be built. */
  readonly quietBefore: string | null
  readonly panel?: number
  readonly from?: number
  readonly to?: number
}

const statements = {
  progress: {
    name: 'find-rollup-progress',
    text: `SELECT test, to_char(recorded_upto AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS upto FROM rollup_tests`,
  },
  checkClocks: {
    name: 'check-rollup-clocks',
    text: `SELECT check_rollup_clocks($1, $2::timestamp AT TIME ZONE 'UTC', $3::interval, $4) AS is_unsure`,
  },
  recordFacts: {
    name: 'record-rollup-facts',
    text: `SELECT record_rollup_facts($1, $2::timestamp AT TIME ZONE 'UTC', $3, $4,
      ARRAY(SELECT stored AT TIME ZONE 'UTC' FROM unnest($5::timestamp[]) WITH ORDINALITY AS given (stored, place) ORDER BY place),
      date '1970-01-01' + $6::integer)`,
  },
  outdate: { name: 'outdate-rollups', text: 'SELECT invalidate_outdated_rollups($1, $2)' },
  begin: {
    name: 'begin-rollup',
    text: `SELECT build::double precision AS build, test, panel_id AS panel,
        from_day - date '1970-01-01' AS first, upto_day - date '1970-01-01' AS last
      FROM begin_rollup($1, ARRAY(SELECT date '1970-01-01' + day FROM unnest($2::integer[]) WITH ORDINALITY AS given (day, place) ORDER BY place),
        $3::timestamp AT TIME ZONE 'UTC', $4, date '1970-01-01' + $5::integer,
        -- By one clock for all: an instance whose clock is days ahead would build what callers may still change.
        least(date '1970-01-01' + $6::integer, (clock_timestamp() AT TIME ZONE 'UTC')::date - $7::integer))`,
  },
  finish: {
    name: 'finish-rollup',
    text: `SELECT finish_rollup($1, $2, $3::timestamp AT TIME ZONE 'UTC') AS good`,
  },
  fail: { name: 'fail-rollup', text: 'SELECT fail_rollup($1)' },
}

/**
 * Returns a time for each test: PostgreSQL has recorded, for the rollups, all results of the test that ClickHouse stored before
 * this time. UTC, in ClickHouse's format.
 */
export async function findProgress(runner: Runner): Promise<Map<string, string>> {
  const rows = await findRows<{ test: string; upto: string }>(runner, statements.progress, [])
  return new Map(rows.map(({ test, upto }) => [test, upto]))
}

/** Returns true if ClickHouse's clock was set back. Every day is then invalidated, and all results must be recorded again. */
export async function checkRollupClocks(runner: Runner, test: string, upto: string): Promise<boolean> {
  const values = [test, upto, `${rollupLimits.clockLossMaxMs} milliseconds`, rollupLimits.ageDays]
  const [row] = await findRows<{ is_unsure: boolean }>(runner, statements.checkClocks, values, limits.clientTimeoutMs)
  return row?.is_unsure ?? false
}

export async function recordRollupFacts(
  runner: Runner,
  test: string,
  upto: string,
  stored: readonly StoredSince[],
  today: number,
): Promise<void> {
  const values = [
    test,
    upto,
    stored.map(({ panel }) => panel),
    stored.map(({ day }) => day),
    stored.map(({ latest }) => latest),
    today - rollupLimits.ageDays,
  ]
  await runNamed(runner, statements.recordFacts, values, limits.clientTimeoutMs)
}

export const outdateRollups = (runner: Runner, terms: RollupTerms): Promise<void> =>
  runNamed(
    runner,
    statements.outdate,
    [[...terms.keys()], [...terms.values()].map(({ version }) => version)],
    limits.clientTimeoutMs,
  )

/** Begins a build of the next days. Returns null if there are no days to build. */
export async function beginRollup(
  runner: Runner,
  { terms, today, quietBefore, panel, from = 0, to = today }: BuildChoice,
): Promise<BegunBuild | null> {
  const firstDays = [...terms.values()].map(({ keepDays }) => firstKeptDay(keepDays, today))
  const last = Math.min(to, today - rollupLimits.ageDays)
  const values = [[...terms.keys()], firstDays, quietBefore, panel ?? null, from, last, rollupLimits.ageDays]
  const [row] = await findRows<BegunBuild>(runner, statements.begin, values, limits.clientTimeoutMs)
  return row ?? null
}

/** Returns true if queries read the days of the build from now on. */
export async function finishRollup(
  runner: Runner,
  { build }: BegunBuild,
  version: string,
  factsUpto: string,
): Promise<boolean> {
  const [row] = await findRows<{ good: boolean }>(runner, statements.finish, [build, version, factsUpto])
  return row?.good ?? false
}

/** Records that a build has failed. Its days are tried again later, after other days. */
export const failRollup = (runner: Runner, { build }: BegunBuild): Promise<void> =>
  runNamed(runner, statements.fail, [build])

/**
 * Deletes all records of rollups. During this time, no job may record results or build rollups, because it would treat a
 * partial state as complete. The function waits for the lock of these jobs without a time limit, because no request waits for
 * the function. After an error, the caller must close the connection, which releases the lock.
 */
export async function deleteRollupRecords(client: ClientBase): Promise<void> {
  await withAdvisoryLock(client, 'buildRollups', () =>
    changeYielding(client, 'Deleting rollups', async () => {
      await client.query('TRUNCATE rollup_days, rollup_panels, rollup_builds, rollup_tests')
    }),
  )
}
