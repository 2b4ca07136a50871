import type { Clock } from '../../base/clock.ts'
import { Fault, SpokenError } from '../../base/fault.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { dayNumber } from '../../compile/metric/retention.ts'
import { buildRollup, findStored, readQuietTime, UsedBuildNumber } from '../../engine/clickhouse/rollup/build-rollup.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { countUnsettledEvents, findUnshedEvents } from '../../engine/postgres/metadata/dictionary-events.ts'
import { findZoneNumbers } from '../../engine/postgres/values/find-zone-numbers.ts'
import { tryAdvisoryLock } from '../../engine/postgres/advisory-locks.ts'
import type { Postgres, Runner } from '../../engine/postgres/postgres.ts'
import {
  beginRollup,
  doubtRollups,
  failRollup,
  findNoted,
  finishRollup,
  noteRollupFacts,
  outdateRollups,
  type BegunBuild,
  type BuildChoice,
} from '../../engine/postgres/rollup/rollup-builds.ts'
import type { RollupTerms } from '../../compile/rollup/rollup-terms.ts'

export type RollupStores = {
  readonly postgres: Postgres
  readonly clickhouse: ClickHouse
  readonly catalog: Catalog
  readonly terms: RollupTerms
  readonly now: Clock
  readonly signal: AbortSignal
}

/** What a turn came to. `waiting`: the engine has yet to be told of changes; `busy`: somebody else is at it. */
export type Turn =
  | { readonly outcome: 'built' | 'spoiled'; readonly build: BegunBuild }
  | { readonly outcome: 'nothing' | 'waiting' | 'busy' }

/** Which days: those of an operator are not left alone because results have just been stored for them. */
export type Wanted = Pick<BuildChoice, 'panel' | 'from' | 'to'> & { readonly atOnce?: boolean }

/** Looks what has been stored since the last time, so that days with late results are built again. */
export async function noteStored(stores: RollupStores): Promise<boolean> {
  return (await tryAdvisoryLock(stores.postgres, 'buildRollups', (client) => noteAlone(stores, client))) ?? false
}

/** For whoever has the lock. */
export async function noteAlone(stores: RollupStores, client: Runner): Promise<true> {
  const { clickhouse, catalog, terms, signal } = stores
  await outdateRollups(client, terms)
  const noted = await findNoted(client)
  for (const { key } of catalog.tests) {
    // Before anything is read: what comes meanwhile is left for the next time.
    const upto = await readQuietTime(clickhouse, signal)
    const since = (await doubtRollups(client, key, upto)) ? null : (noted.get(key) ?? null)
    const stored = await findStored(clickhouse, key, since, signal)
    await noteRollupFacts(client, key, upto, stored, todayOf(stores))
  }
  return true
}

/** Builds the next days that need it. */
export async function buildNext(stores: RollupStores, wanted: Wanted = {}): Promise<Turn> {
  const turn = await tryAdvisoryLock(stores.postgres, 'buildRollups', (client) => buildAlone(stores, client, wanted))
  return turn ?? { outcome: 'busy' }
}

async function buildAlone(stores: RollupStores, client: Runner, { atOnce = false, ...days }: Wanted): Promise<Turn> {
  const { postgres, clickhouse, catalog, terms, signal } = stores
  // Asked here as well, so that waiting leaves no builds behind that were begun for nothing.
  if (await isUntold(client)) return { outcome: 'waiting' }
  const factsUpto = await readQuietTime(clickhouse, signal)
  const choice = { terms, today: todayOf(stores), quietBefore: atOnce ? null : factsUpto, ...days }
  const build = await beginRollup(client, choice)
  if (build === null) return { outcome: 'nothing' }
  // Changes made before are committed now, but the engine may not have heard of them.
  if (await isUntold(client)) return { outcome: 'waiting' }
  const test = catalog.tests.find(({ key }) => key === build.test)
  const term = terms.get(build.test)
  if (test === undefined || term === undefined) throw new Error(`a build of the test ${build.test}, which is not there`)
  const { panel, first, last } = build
  const zones = await findZoneNumbers(postgres)
  const wanted = { build: build.build, test, panel, days: { first, last }, keepDays: term.keepDays }
  await buildRollup(clickhouse, catalog, zones, wanted, signal).catch(async (error: unknown) => {
    // Neither says anything of the days.
    if (signal.aborted || error instanceof UsedBuildNumber) throw error
    await failRollup(client, build)
    throw new FailedBuild(build, error)
  })
  const good = await finishRollup(client, build, term.version, factsUpto)
  return { outcome: good ? 'built' : 'spoiled', build }
}

/** Whether a dictionary shows agents as they were: it has not been told of a change, or still has one that was replaced. */
async function isUntold(client: Runner): Promise<boolean> {
  const { untold } = await countUnsettledEvents(client)
  return untold > 0 || (await findUnshedEvents(client)).length > 0
}

const todayOf = ({ now }: Pick<RollupStores, 'now'>): number => dayNumber(now())

/** Sums that the engine could not make: whose, and of which days. */
export class FailedBuild extends SpokenError {
  readonly build: BegunBuild

  constructor(build: BegunBuild, error: unknown) {
    const { test, panel, first, last } = build
    const days = [first, last].map(dateOf).join(' to ')
    super(`The sums of ${test} of panel ${panel}, ${days}, could not be built: ${reasonOf(error)}`, error)
    this.build = build
  }
}

const dateOf = (day: number): string =>
  Temporal.Instant.fromEpochMilliseconds(day * 86_400_000)
    .toString()
    .slice(0, 10)

/** What a fault says to callers would have them ask for less. */
function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.detail ?? error.message
  return error instanceof Error ? error.message : String(error)
}
