import { limits } from '../../base/limits.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import {
  type DictionaryGroup,
  findFailedDictionaries,
  reloadDictionaries,
} from '../../engine/clickhouse/dictionaries/reload-dictionaries.ts'
import {
  announceEvents,
  beginCompaction,
  countUncompactedAgents,
  countUncompactedEvents,
  findUnevictedEvents,
  recordCompacted,
  recordEvicted,
  recordPublished,
  type Uncompacted,
  type UncompactedEvent,
} from '../../engine/postgres/metadata/dictionary-events.ts'
import { tryAdvisoryLock, withAdvisoryLock } from '../../engine/postgres/advisory-locks.ts'
import type { Postgres, Runner } from '../../engine/postgres/postgres.ts'
import { backoff, repeat, type Repeated } from '../repeat.ts'
import type { Observe } from '../../base/observe.ts'
import { publishSpeeds } from './publish-speeds.ts'

/**
 * Keeps ClickHouse's dictionaries up to date with PostgreSQL. Every instance runs this job and handles the unpublished events
 * of all instances. Only one instance reloads at a time. If an instance dies, its events remain in PostgreSQL, and another
 * instance publishes them. Publishing continues during compaction, which takes seconds on a large panel.
 */
export function reconcileDictionaries(stores: DictionaryStores): Repeated {
  const report = (error: unknown) => stores.observe({ kind: 'store-error', store: 'dictionaries', error })
  let compactedAt = performance.now()
  // While compaction fails because a node is unavailable, the small dictionaries must accept any number of changes. Otherwise
  // queries would see old metadata of the changed agents.
  let publishedAgentsMax: number = limits.publishedAgentsMax
  const publishing = repeat(
    () => publishChanges(stores, publishedAgentsMax),
    limits.dictionaryPollMs,
    report,
    restAfter,
  )
  const compacting = repeat(
    async () => {
      const compacted = await compactDictionaries(stores, performance.now() - compactedAt).catch((error: unknown) => {
        publishedAgentsMax = Infinity
        throw error
      })
      if (compacted === true) compactedAt = performance.now()
      if (compacted !== null) publishedAgentsMax = limits.publishedAgentsMax
    },
    limits.dictionaryPollMs,
    report,
  )
  const repairing = repeat(
    backoff(() => reloadFailedDictionaries(stores)),
    limits.failedDictionaryPollMs,
    report,
  )
  const speeds = repeat(() => publishSpeeds(stores), limits.dictionaryPollMs, report)
  const loops = [publishing, compacting, repairing, speeds]
  return { poke: publishing.poke, close: async () => void (await Promise.all(loops.map((loop) => loop.close()))) }
}

/**
 * Returns how long to wait after a reload. Without this pause, ClickHouse would reload continuously under steady changes, and
 * take a CPU core from queries. A change that just missed a reload waits for the end of that reload, for this pause and for the
 * next reload. That is less than the guaranteed five seconds.
 */
const restAfter = (tookMs: number): number =>
  Math.min(limits.dictionaryPollMs, 2 * tookMs, Math.max(0, 4_000 - 2 * tookMs))

/** Reloads the small dictionaries if they lack a change, or if they still contain a change that is already compacted. */
async function publishChanges({ postgres, clickhouse, observe }: DictionaryStores, agentsMax: number): Promise<void> {
  const uncompacted = await countUncompactedEvents(postgres.pool)
  if (!(await isPublishingDue(uncompacted, postgres.pool))) return
  await tryAdvisoryLock(postgres, 'publishMetadata', async (client) => {
    if (!(await fitsSmallDictionaries(uncompacted, client, agentsMax))) return
    // If an event commits after this statement, the next run publishes it.
    const events = await announceEvents(client)
    if (!(await isPublishingDue(counted(events), client))) return
    if (!(await fitsSmallDictionaries(counted(events), client, agentsMax))) return
    const startedAt = performance.now()
    await reloadSmallDictionaries(client, clickhouse, ...newAgentsOf(events), 'names')
    await recordPublished(client, events)
    observe(reloaded('small', events, startedAt))
  })
}

/**
 * Moves the changes of the small dictionaries into the large ones, if there are many changes or they are old. Returns true if
 * it compacted, false if compaction was not due, and null if another instance holds the lock.
 */
export async function compactDictionaries(
  { postgres, clickhouse, observe }: DictionaryStores,
  sinceLastMs: number,
): Promise<boolean | null> {
  const isDue = ({ events, changes }: Uncompacted) =>
    changes > limits.uncompactedChangesMax || (events > 0 && sinceLastMs > limits.uncompactedAgeMaxMs)
  if (!isDue(await countUncompactedEvents(postgres.pool))) return false
  return tryAdvisoryLock(postgres, 'compactMetadata', async (client) => {
    const events = await beginCompaction(client)
    if (!isDue(counted(events))) return false
    const startedAt = performance.now()
    // Reload the names first: if a node is unavailable, this fails before the other nodes reload the large dictionaries in
    // vain.
    await reloadDictionaries(clickhouse, 'names')
    await reloadDictionaries(clickhouse, ...newAgentsOf(events), 'large')
    // Queries read the small dictionaries before the large ones. An agent may have a new change only in the large
    // dictionaries, and an older change in the small ones. So the small dictionaries are reloaded at once. The lock prevents
    // concurrent publishing: before ClickHouse reads the spans, publishing chooses the events that the timelines will show. If
    // this instance dies before the reload, the next publishing run finds the events that are compacted but not evicted.
    await withAdvisoryLock(client, 'publishMetadata', async () => {
      await recordCompacted(client, events)
      await reloadSmallDictionaries(client, clickhouse)
    })
    observe(reloaded('large', events, startedAt))
    return true
  })
}

async function reloadSmallDictionaries(
  client: Runner,
  clickhouse: ClickHouse,
  ...before: readonly DictionaryGroup[]
): Promise<void> {
  const notEvicted = await findUnevictedEvents(client)
  await reloadDictionaries(clickhouse, ...before, 'small')
  await recordEvicted(client, notEvicted)
}

const newAgentsOf = (events: readonly UncompactedEvent[]): readonly DictionaryGroup[] =>
  events.some(({ registration, published }) => registration && !published) ? ['agents'] : []

const isPublishingDue = async ({ unpublished }: Uncompacted, runner: Runner): Promise<boolean> =>
  unpublished > 0 || (await findUnevictedEvents(runner)).length > 0

/**
 * Returns true if the changes fit into the small dictionaries. If not, publishing waits for compaction, which also reloads the
 * small dictionaries. An agent with many changes counts once: a few agents that change again and again must not delay the
 * changes of other agents. Counting distinct agents takes up to half a second. So only the instance with the lock counts them,
 * and only if the number of changes exceeds `agentsMax`.
 */
async function fitsSmallDictionaries({ changes }: Uncompacted, runner: Runner, agentsMax: number): Promise<boolean> {
  if (changes <= agentsMax) return true
  return changes <= limits.publishedChangesMax && (await countUncompactedAgents(runner)) <= agentsMax
}

const counted = (events: readonly UncompactedEvent[]): Uncompacted => ({
  events: events.length,
  unpublished: events.filter(({ published }) => !published).length,
  changes: events.reduce((sum, { agents }) => sum + agents, 0),
})

function reloaded(group: 'small' | 'large', uncompacted: readonly UncompactedEvent[], startedAt: number) {
  const { events, changes } = counted(uncompacted)
  return {
    kind: 'dictionaries-reloaded',
    group,
    events,
    agents: changes,
    milliseconds: performance.now() - startedAt,
  } as const
}

export type DictionaryStores = { postgres: Postgres; clickhouse: ClickHouse; observe: Observe }

/**
 * Reloads dictionaries that a node could not load on first use because PostgreSQL was unavailable. The node does not retry.
 * Until the next compaction, up to ten minutes later, the node would refuse every query that uses these dictionaries. The
 * locks prevent concurrent compaction and, for the small dictionaries, concurrent publishing. Before ClickHouse reads the
 * spans, both choose the events that the timelines will show.
 */
export async function reloadFailedDictionaries({ postgres, clickhouse, observe }: DictionaryStores): Promise<void> {
  const { nodes, errors } = await findFailedDictionaries(clickhouse)
  if (nodes.length > 0) {
    await tryAdvisoryLock(postgres, 'compactMetadata', async (client) => {
      const failed = await findFailedDictionaries(clickhouse)
      if (failed.nodes.length === 0) return
      const failing = { ...clickhouse, nodes: failed.nodes }
      await reloadDictionaries(failing, ...failed.groups.filter((group) => group !== 'small'))
      if (failed.groups.includes('small'))
        await withAdvisoryLock(client, 'publishMetadata', () => reloadDictionaries(failing, 'small'))
      observe({ kind: 'dictionaries-repaired', nodes: failed.nodes.length, groups: failed.groups })
    })
  }
  // Throw at the end, so that an unreachable node does not prevent the reload on the other nodes.
  if (errors.length > 0) throw errors[0]
}
