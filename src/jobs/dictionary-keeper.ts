import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import type { ClickHouse } from '../engine/clickhouse/clickhouse.ts'
import { reloadDictionaries, type DictionaryGroup } from '../engine/clickhouse/reload-dictionaries.ts'
import {
  announceEvents,
  beginSettling,
  findUnsettledEvents,
  findUnshedEvents,
  ifNobodyElse,
  noteSettled,
  noteShed,
  noteTold,
  whileNobodyTells,
  type Runner,
  type UnsettledEvent,
} from '../engine/postgres/dictionary-events.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { repeat, type Repeated } from './repeat.ts'

export type DictionaryStores = { postgres: Postgres; clickhouse: ClickHouse; observe: Observe }

/**
 * Keeps the engine's dictionaries up with PostgreSQL. Every copy of the service has a keeper; each looks for events the
 * engine has not been told of, whoever made them, and one of them at a time reloads. A copy that dies leaves the event
 * behind, and the next one finds it. Telling goes on while settling, which takes seconds on a large panel.
 */
export function keepDictionaries(stores: DictionaryStores): Repeated {
  const report = (error: unknown) => stores.observe({ kind: 'store-error', store: 'dictionaries', error })
  let settledAt = performance.now()
  const telling = repeat(() => tellEngine(stores), limits.dictionaryPollMs, report)
  const settling = repeat(
    async () => {
      if (await settleEngine(stores, performance.now() - settledAt)) settledAt = performance.now()
    },
    limits.dictionaryPollMs,
    report,
  )
  return { poke: telling.poke, close: async () => void (await Promise.all([telling.close(), settling.close()])) }
}

/** Reloads the small dictionaries when there is an event the engine does not know, or a settled one they do not. */
async function tellEngine({ postgres, clickhouse, observe }: DictionaryStores): Promise<void> {
  if (!isTellingDue(await findUnsettledEvents(postgres.pool), await findUnshedEvents(postgres.pool))) return
  await ifNobodyElse(postgres, 'telling', async (client) => {
    // An event that commits from here on is left for the next turn.
    const events = await announceEvents(client)
    if (!isTellingDue(events, await findUnshedEvents(client))) return
    const startedAt = performance.now()
    await reloadSmallOnes(client, clickhouse, ...namesOf(events))
    await noteTold(client, events)
    observe(reloaded('small', events, startedAt))
  })
}

/** Moves what has gathered in the small dictionaries into the large ones, now and then. Answers whether it did. */
export async function settleEngine(
  { postgres, clickhouse, observe }: DictionaryStores,
  sinceLastMs: number,
): Promise<boolean> {
  const isDue = (events: readonly UnsettledEvent[]) =>
    agentsOf(events) > limits.unsettledAgentsMax || (events.length > 0 && sinceLastMs > limits.unsettledAgeMaxMs)
  if (!isDue(await findUnsettledEvents(postgres.pool))) return false
  const done = await ifNobodyElse(postgres, 'settling', async (client) => {
    const events = await beginSettling(client)
    if (!isDue(events)) return false
    const startedAt = performance.now()
    await reloadDictionaries(clickhouse, ...namesOf(events), 'large')
    // What was too much for the small dictionaries has changed agents they hold, and they are asked first: they must be
    // read again at once. Not while somebody tells, who fixes what their timelines show before reading the spans.
    // Should we die in between, the next one who tells finds the events settled and not shed.
    await whileNobodyTells(client, async () => {
      await noteSettled(client, events)
      await reloadSmallOnes(client, clickhouse)
    })
    observe(reloaded('large', events, startedAt))
    return true
  })
  return done ?? false
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

/** What timelines name, to be there before them. */
const namesOf = (events: readonly UnsettledEvent[]): readonly DictionaryGroup[] =>
  events.some(({ registration, told }) => registration && !told) ? ['agents', 'names'] : ['names']

/** Not while too many are unsettled for the small dictionaries: whoever settles those reloads the small ones too. */
const isTellingDue = (events: readonly UnsettledEvent[], unshed: readonly unknown[]): boolean =>
  (unshed.length > 0 || events.some(({ told }) => !told)) && agentsOf(events) <= limits.toldAgentsMax

const agentsOf = (events: readonly UnsettledEvent[]): number => events.reduce((sum, { agents }) => sum + agents, 0)

const reloaded = (group: 'small' | 'large', events: readonly UnsettledEvent[], startedAt: number) =>
  ({
    kind: 'dictionaries-reloaded',
    group,
    events: events.length,
    agents: agentsOf(events),
    milliseconds: performance.now() - startedAt,
  }) as const
