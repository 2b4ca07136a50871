import { limits } from '../../base/limits.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import {
  type DictionaryGroup,
  findFailedDictionaries,
  reloadDictionaries,
} from '../../engine/clickhouse/dictionaries/reload-dictionaries.ts'
import {
  announceEvents,
  beginSettling,
  countUnsettledAgents,
  countUnsettledEvents,
  findUnshedEvents,
  noteSettled,
  noteShed,
  noteTold,
  type Unsettled,
  type UnsettledEvent,
} from '../../engine/postgres/metadata/dictionary-events.ts'
import { tryAdvisoryLock, withAdvisoryLock } from '../../engine/postgres/advisory-locks.ts'
import type { Postgres, Runner } from '../../engine/postgres/postgres.ts'
import { lessAndLess, repeat, type Repeated } from '../repeat.ts'
import type { Observe } from '../../base/observe.ts'

/**
 * Keeps the engine's dictionaries up with PostgreSQL. Every copy of the service has a keeper; each looks for events the
 * engine has not been told of, whoever made them, and one of them at a time reloads. A copy that dies leaves the event
 * behind, and the next one finds it. Telling goes on while settling, which takes seconds on a large panel.
 */
export function keepDictionaries(stores: DictionaryStores): Repeated {
  const report = (error: unknown) => stores.observe({ kind: 'store-error', store: 'dictionaries', error })
  let settledAt = performance.now()
  // While the large dictionaries cannot take over, because a node is away, the small ones have to hold whatever there is:
  // they are asked first, and would show agents as they were.
  let toldAgentsMax: number = limits.toldAgentsMax
  const telling = repeat(() => tellEngine(stores, toldAgentsMax), limits.dictionaryPollMs, report, restAfter)
  const settling = repeat(
    async () => {
      const settled = await settleEngine(stores, performance.now() - settledAt).catch((error: unknown) => {
        toldAgentsMax = Infinity
        throw error
      })
      if (settled === true) settledAt = performance.now()
      if (settled !== null) toldAgentsMax = limits.toldAgentsMax
    },
    limits.dictionaryPollMs,
    report,
  )
  const mending = repeat(
    lessAndLess(() => mendDictionaries(stores)),
    limits.failedDictionaryPollMs,
    report,
  )
  const loops = [telling, settling, mending]
  return { poke: telling.poke, close: async () => void (await Promise.all(loops.map((loop) => loop.close()))) }
}

/**
 * One change after the other would have the engine reload all the time, and take a processor from everybody's queries. A
 * change that has just missed a reload waits for the rest of it, this rest and the next one: within the five seconds.
 */
const restAfter = (tookMs: number): number =>
  Math.min(limits.dictionaryPollMs, 2 * tookMs, Math.max(0, 4_000 - 2 * tookMs))

/** Reloads the small dictionaries when there is an event the engine does not know, or a settled one they do not. */
async function tellEngine({ postgres, clickhouse, observe }: DictionaryStores, agentsMax: number): Promise<void> {
  const unsettled = await countUnsettledEvents(postgres.pool)
  if (!(await isTellingDue(unsettled, postgres.pool))) return
  await tryAdvisoryLock(postgres, 'publishMetadata', async (client) => {
    if (!(await fitSmallOnes(unsettled, client, agentsMax))) return
    // An event that commits from here on is left for the next turn.
    const events = await announceEvents(client)
    if (!(await isTellingDue(counted(events), client))) return
    if (!(await fitSmallOnes(counted(events), client, agentsMax))) return
    const startedAt = performance.now()
    await reloadSmallOnes(client, clickhouse, ...newAgentsOf(events), 'names')
    await noteTold(client, events)
    observe(reloaded('small', events, startedAt))
  })
}

/**
 * Moves what has gathered in the small dictionaries into the large ones, now and then. Answers whether it did, and null when
 * somebody else is at it.
 */
export async function settleEngine(
  { postgres, clickhouse, observe }: DictionaryStores,
  sinceLastMs: number,
): Promise<boolean | null> {
  const isDue = ({ events, agents }: Unsettled) =>
    agents > limits.unsettledAgentsMax || (events > 0 && sinceLastMs > limits.unsettledAgeMaxMs)
  if (!isDue(await countUnsettledEvents(postgres.pool))) return false
  return tryAdvisoryLock(postgres, 'compactMetadata', async (client) => {
    const events = await beginSettling(client)
    if (!isDue(counted(events))) return false
    const startedAt = performance.now()
    // By themselves: where a node is away, the others are spared reading the rest every second to no end.
    await reloadDictionaries(clickhouse, 'names')
    await reloadDictionaries(clickhouse, ...newAgentsOf(events), 'large')
    // What was too much for the small dictionaries has changed agents they hold, and they are asked first: they must be
    // read again at once. Not while somebody tells, who fixes what their timelines show before reading the spans.
    // Should we die in between, the next one who tells finds the events settled and not shed.
    await withAdvisoryLock(client, 'publishMetadata', async () => {
      await noteSettled(client, events)
      await reloadSmallOnes(client, clickhouse)
    })
    observe(reloaded('large', events, startedAt))
    return true
  })
}

async function reloadSmallOnes(
  client: Runner,
  clickhouse: ClickHouse,
  ...before: readonly DictionaryGroup[]
): Promise<void> {
  const unshed = await findUnshedEvents(client)
  await reloadDictionaries(clickhouse, ...before, 'small')
  await noteShed(client, unshed)
}

const newAgentsOf = (events: readonly UnsettledEvent[]): readonly DictionaryGroup[] =>
  events.some(({ registration, told }) => registration && !told) ? ['agents'] : []

const isTellingDue = async ({ untold }: Unsettled, runner: Runner): Promise<boolean> =>
  untold > 0 || (await findUnshedEvents(runner)).length > 0

/**
 * Not while too many are unsettled for the small dictionaries: whoever settles those reloads the small ones too. Few agents
 * that are changed again and again are not many, and must not keep the changes of others from being told. Telling them
 * apart takes up to half a second, so it is done where there is doubt, and by one copy.
 */
async function fitSmallOnes({ agents }: Unsettled, runner: Runner, agentsMax: number): Promise<boolean> {
  if (agents <= agentsMax) return true
  return agents <= limits.toldChangesMax && (await countUnsettledAgents(runner)) <= agentsMax
}

const counted = (events: readonly UnsettledEvent[]): Unsettled => ({
  events: events.length,
  untold: events.filter(({ told }) => !told).length,
  agents: events.reduce((sum, { agents }) => sum + agents, 0),
})

function reloaded(group: 'small' | 'large', unsettled: readonly UnsettledEvent[], startedAt: number) {
  const { events, agents } = counted(unsettled)
  return { kind: 'dictionaries-reloaded', group, events, agents, milliseconds: performance.now() - startedAt } as const
}

export type DictionaryStores = { postgres: Postgres; clickhouse: ClickHouse; observe: Observe }

/**
 * Loads what a node could not load when a query first asked for it, because PostgreSQL stood still just then. The node
 * does not try again: it would refuse every such query until changes are settled the next time, up to ten minutes later.
 * Nobody settles meanwhile, nor tells while it is about the small ones: they fix what timelines show before they read the
 * spans.
 */
export async function mendDictionaries({ postgres, clickhouse, observe }: DictionaryStores): Promise<void> {
  const { nodes, errors } = await findFailedDictionaries(clickhouse)
  if (nodes.length > 0) {
    await tryAdvisoryLock(postgres, 'compactMetadata', async (client) => {
      const failed = await findFailedDictionaries(clickhouse)
      if (failed.nodes.length === 0) return
      const ailing = { ...clickhouse, nodes: failed.nodes }
      await reloadDictionaries(ailing, ...failed.groups.filter((group) => group !== 'small'))
      if (failed.groups.includes('small'))
        await withAdvisoryLock(client, 'publishMetadata', () => reloadDictionaries(ailing, 'small'))
      observe({ kind: 'dictionaries-mended', nodes: failed.nodes.length, groups: failed.groups })
    })
  }
  // A node that cannot be asked keeps none of the others from it.
  if (errors.length > 0) throw errors[0]
}
