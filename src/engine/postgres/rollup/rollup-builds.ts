import type { ClientBase } from 'pg'
import { limits, rollupLimits } from '../../../base/limits.ts'
import { firstKeptDay } from '../../../compile/metric/retention.ts'
import type { RollupTerms } from '../../../compile/rollup/rollup-terms.ts'
import { findRows, runNamed, type Runner } from '../postgres.ts'
import { withAdvisoryLock } from '../advisory-locks.ts'
import { changeYielding } from '../schema/yielding-change.ts'

/** What one node has stored since the last time, by panel and UTC day. */
export type StoredSince = { readonly panel: number; readonly day: string; readonly latest: string }

export type BegunBuild = {
  readonly build: number
  readonly test: string
  readonly panel: number
  readonly first: number
  readonly last: number
}

/** Which days may be built. */
export type BuildChoice = {
  readonly terms: RollupTerms
  /** Days are counted from 1970. */
  readonly today: number
  /** Days with results stored later wait; null: none does. */
  readonly quietBefore: string | null
  readonly panel?: number
  readonly from?: number
  readonly to?: number
}

const statements = {
  noted: {
    name: 'find-noted-rollups',
    text: `SELECT test, to_char(noted_upto AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS upto FROM rollup_tests`,
  },
  doubt: {
    name: 'doubt-rollups',
    text: `SELECT doubt_rollups($1, $2::timestamp AT TIME ZONE 'UTC', $3::interval, $4) AS doubted`,
  },
  note: {
    name: 'note-rollup-facts',
    text: `SELECT note_rollup_facts($1, $2::timestamp AT TIME ZONE 'UTC', $3, $4,
      ARRAY(SELECT stored AT TIME ZONE 'UTC' FROM unnest($5::timestamp[]) WITH ORDINALITY AS given (stored, place) ORDER BY place),
      date '1970-01-01' + $6::integer)`,
  },
  outdate: { name: 'outdate-rollups', text: 'SELECT outdate_rollups($1, $2)' },
  begin: {
    name: 'begin-rollup',
    text: `SELECT build::double precision AS build, test, panel_id AS panel,
        from_day - date '1970-01-01' AS first, upto_day - date '1970-01-01' AS last
      FROM begin_rollup($1, ARRAY(SELECT date '1970-01-01' + day FROM unnest($2::integer[]) WITH ORDINALITY AS given (day, place) ORDER BY place),
        $3::timestamp AT TIME ZONE 'UTC', $4, date '1970-01-01' + $5::integer,
        -- By one clock for all: a copy that is days ahead would build what callers may still change.
        least(date '1970-01-01' + $6::integer, (clock_timestamp() AT TIME ZONE 'UTC')::date - $7::integer))`,
  },
  finish: {
    name: 'finish-rollup',
    text: `SELECT finish_rollup($1, $2, $3::timestamp AT TIME ZONE 'UTC') AS good`,
  },
  fail: { name: 'fail-rollup', text: 'SELECT fail_rollup($1)' },
}

/** Until when results have been noted, by test; UTC, as the engine writes times. */
export async function findNoted(runner: Runner): Promise<Map<string, string>> {
  const rows = await findRows<{ test: string; upto: string }>(runner, statements.noted, [])
  return new Map(rows.map(({ test, upto }) => [test, upto]))
}

/** Whether the engine's clock has been set back, so that every day is in doubt and all results have to be noted again. */
export async function doubtRollups(runner: Runner, test: string, upto: string): Promise<boolean> {
  const values = [test, upto, `${rollupLimits.clockLossMaxMs} milliseconds`, rollupLimits.ageDays]
  const [row] = await findRows<{ doubted: boolean }>(runner, statements.doubt, values, limits.clientTimeoutMs)
  return row?.doubted ?? false
}

export async function noteRollupFacts(
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
  await runNamed(runner, statements.note, values, limits.clientTimeoutMs)
}

export const outdateRollups = (runner: Runner, terms: RollupTerms): Promise<void> =>
  runNamed(
    runner,
    statements.outdate,
    [[...terms.keys()], [...terms.values()].map(({ version }) => version)],
    limits.clientTimeoutMs,
  )

/** The next days to build, if there are any. */
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

/** Whether its days are answered from it from now on. */
export async function finishRollup(
  runner: Runner,
  { build }: BegunBuild,
  version: string,
  factsUpto: string,
): Promise<boolean> {
  const [row] = await findRows<{ good: boolean }>(runner, statements.finish, [build, version, factsUpto])
  return row?.good ?? false
}

/** Its days are left for later, and others go before them. */
export const failRollup = (runner: Runner, { build }: BegunBuild): Promise<void> =>
  runNamed(runner, statements.fail, [build])

/**
 * All that is known of sums of old days. While nobody notes results or builds: half of it would be taken for all. Their lock
 * is waited for to the end, because no caller queues behind it; an error ends the connection, and the lock.
 */
export async function forgetSums(client: ClientBase): Promise<void> {
  await withAdvisoryLock(client, 'buildRollups', () =>
    changeYielding(client, 'Forgetting the sums of old days', async () => {
      await client.query('TRUNCATE rollup_days, rollup_panels, rollup_builds, rollup_tests')
    }),
  )
}
