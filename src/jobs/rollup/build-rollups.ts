import type { Clock } from '../../base/clock.ts'
import { Fault, UserFacingError } from '../../base/fault.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { dayNumber } from '../../compile/metric/retention.ts'
import { buildRollup, findStored, readQuietTime, UsedBuildNumber } from '../../engine/clickhouse/rollup/build-rollup.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { countUncompactedEvents, findUnevictedEvents } from '../../engine/postgres/metadata/dictionary-events.ts'
import { findZoneNumbers } from '../../engine/postgres/values/find-zone-numbers.ts'
import { tryAdvisoryLock } from '../../engine/postgres/advisory-locks.ts'
import type { Postgres, Runner } from '../../engine/postgres/postgres.ts'
import {
  beginRollup,
  checkRollupClocks,
  failRollup,
  findProgress,
  finishRollup,
  recordRollupFacts,
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

/**
 * The result of one call of `buildNext`. `waiting`: ClickHouse's dictionaries do not have all changes yet. `busy`: another
 * instance holds the lock.
 */
export type Turn =
  | { readonly outcome: 'built' | 'invalidated'; readonly build: BegunBuild }
  | { readonly outcome: 'nothing' | 'waiting' | 'busy' }

/** `atOnce` is true for the operator's command: it also builds days whose results were stored very recently. */
export type Wanted = Pick<BuildChoice, 'panel' | 'from' | 'to'> & { readonly atOnce?: boolean }

/**
 * Records which days received results after the last run, so that days with late results are rebuilt. Returns false if another
 * instance holds the lock.
 */
export async function recordStored(stores: RollupStores): Promise<boolean> {
  return (
    (await tryAdvisoryLock(stores.postgres, 'buildRollups', (client) => recordStoredAlone(stores, client))) ?? false
  )
}

/** The caller must hold the lock `buildRollups`. */
export async function recordStoredAlone(stores: RollupStores, client: Runner): Promise<true> {
  const { clickhouse, catalog, terms, signal } = stores
  await outdateRollups(client, terms)
  const noted = await findProgress(client)
  for (const { key } of catalog.tests) {
    // Read this time before the results. The next run searches from this time on, so it finds the results that are stored
    // meanwhile.
    const upto = await readQuietTime(clickhouse, signal)
    const since = (await checkRollupClocks(client, key, upto)) ? null : (noted.get(key) ?? null)
    const stored = await findStored(clickhouse, key, since, signal)
    await recordRollupFacts(client, key, upto, stored, todayOf(stores))
  }
  return true
}

/** Builds the next rollup that is missing or outdated. */
export async function buildNext(stores: RollupStores, wanted: Wanted = {}): Promise<Turn> {
  const turn = await tryAdvisoryLock(stores.postgres, 'buildRollups', (client) => buildAlone(stores, client, wanted))
  return turn ?? { outcome: 'busy' }
}

async function buildAlone(stores: RollupStores, client: Runner, { atOnce = false, ...days }: Wanted): Promise<Turn> {
  const { postgres, clickhouse, catalog, terms, signal } = stores
  // The same check follows after `beginRollup`. This one prevents builds that would only begin and then stop at that check.
  if (await isOutdated(client)) return { outcome: 'waiting' }
  const factsUpto = await readQuietTime(clickhouse, signal)
  const choice = { terms, today: todayOf(stores), quietBefore: atOnce ? null : factsUpto, ...days }
  const build = await beginRollup(client, choice)
  if (build === null) return { outcome: 'nothing' }
  // Changes made before the build began are committed by now, but ClickHouse may not have them yet.
  if (await isOutdated(client)) return { outcome: 'waiting' }
  const test = catalog.tests.find(({ key }) => key === build.test)
  const term = terms.get(build.test)
  if (test === undefined || term === undefined) throw new Error(`a build of the test ${build.test}, which is not there`)
  const { panel, first, last } = build
  const zones = await findZoneNumbers(postgres)
  const wanted = { build: build.build, test, panel, days: { first, last }, keepDays: term.keepDays }
  await buildRollup(clickhouse, catalog, zones, wanted, signal).catch(async (error: unknown) => {
    // These two errors do not mean that the days cannot be built.
    if (signal.aborted || error instanceof UsedBuildNumber) throw error
    await failRollup(client, build)
    throw new FailedBuild(build, error)
  })
  const good = await finishRollup(client, build, term.version, factsUpto)
  return { outcome: good ? 'built' : 'invalidated', build }
}

/** Returns true if a dictionary shows outdated metadata: a change is not published, or a compacted change is not evicted. */
async function isOutdated(client: Runner): Promise<boolean> {
  const { unpublished } = await countUncompactedEvents(client)
  return unpublished > 0 || (await findUnevictedEvents(client)).length > 0
}

const todayOf = ({ now }: Pick<RollupStores, 'now'>): number => dayNumber(now())

/** ClickHouse could not build a rollup. */
export class FailedBuild extends UserFacingError {
  readonly build: BegunBuild

  constructor(build: BegunBuild, error: unknown) {
    const { test, panel, first, last } = build
    const days = [first, last].map(dateOf).join(' to ')
    super(`The rollup of ${test} of panel ${panel}, ${days}, could not be built: ${reasonOf(error)}`, error)
    this.build = build
  }
}

const dateOf = (day: number): string =>
  Temporal.Instant.fromEpochMilliseconds(day * 86_400_000)
    .toString()
    .slice(0, 10)

/** Returns the detail of a fault. Its public message is not for operators: it advises callers to request less. */
function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.detail ?? error.message
  return error instanceof Error ? error.message : String(error)
}
