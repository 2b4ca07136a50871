import type { Scope } from '../../../base/caller.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres, runNamed, type Runner } from '../postgres.ts'

/** A metadata change that the large dictionaries do not contain yet. */
export type UncompactedEvent = {
  id: string
  published: boolean
  /** Number of agents that the event changes. */
  agents: number
  registration: boolean
}

/**
 * Counts of metadata events that the large dictionaries do not contain yet. An event is one request, which can change many
 * agents.
 *
 * - `events`: number of events.
 * - `unpublished`: how many of them the small dictionaries do not contain either.
 * - `changes`: number of changes of agents. An agent that was changed twice counts twice.
 */
export type Uncompacted = { readonly events: number; readonly unpublished: number; readonly changes: number }

const columns = 'SELECT id, published, agents, registration FROM'
const statements = {
  count: {
    name: 'count-uncompacted-events',
    text: `SELECT count(*)::integer AS events, count(*) FILTER (WHERE NOT published)::integer AS unpublished,
      coalesce(sum(agents), 0)::float AS changes FROM find_uncompacted_events()`,
  },
  countAgents: { name: 'count-uncompacted-agents', text: 'SELECT count_uncompacted_agents() AS agents' },
  findNewAgents: {
    name: 'find-unpublished-registrations',
    text: `${columns} find_uncompacted_events() WHERE registration AND NOT published`,
  },
  announce: { name: 'announce-events', text: `${columns} announce_events()` },
  compact: { name: 'begin-compacting', text: `${columns} begin_compaction()` },
  recordPublished: { name: 'record-published', text: 'SELECT record_published($1)' },
  recordCompacted: { name: 'record-compacted', text: 'SELECT record_compacted($1)' },
  findUnevicted: { name: 'find-unevicted-events', text: 'SELECT id FROM find_unevicted_events()' },
  recordEvicted: { name: 'record-evicted', text: 'SELECT record_evicted($1)' },
  findSpeeds: { name: 'find-unpublished-speeds', text: 'SELECT id FROM find_unpublished_speeds()' },
  recordSpeeds: { name: 'record-published-speeds', text: 'SELECT record_published_speeds($1)' },
}

/**
 * PostgreSQL counts the events, because a few minutes of steady changes leave thousands of events, and each instance counts
 * them every second.
 */
export async function countUncompactedEvents(runner: Runner): Promise<Uncompacted> {
  const [counted] = await findRows<Uncompacted>(runner, statements.count, [])
  if (counted === undefined) throw new Error('a count gave no row')
  return counted
}

/**
 * Counts the distinct agents in uncompacted events. The statement reads every event: 0.1 to 0.5 s for 5,000 events with 100
 * agents each.
 */
export async function countUncompactedAgents(runner: Runner): Promise<number> {
  const [counted] = await findRows<{ agents: number }>(runner, statements.countAgents, [])
  if (counted === undefined) throw new Error('a count gave no row')
  return counted.agents
}

/** Finds registrations of agents that the dictionaries do not contain yet. */
export const findUnpublishedRegistrations = (runner: Runner): Promise<UncompactedEvent[]> =>
  findRows(runner, statements.findNewAgents, [])

/**
 * Determines which events the timelines of the small dictionaries will contain. Must be called before the spans are loaded.
 */
export const announceEvents = (runner: Runner): Promise<UncompactedEvent[]> => findRows(runner, statements.announce, [])

/**
 * Determines which events the timelines of the large dictionaries will contain. Must be called before the spans are loaded.
 */
export const beginCompaction = (runner: Runner): Promise<UncompactedEvent[]> => findRows(runner, statements.compact, [])

export const recordPublished = (runner: Runner, events: readonly UncompactedEvent[]): Promise<void> =>
  runNamed(runner, statements.recordPublished, [events.map(({ id }) => id)])

export const recordCompacted = (runner: Runner, events: readonly UncompactedEvent[]): Promise<void> =>
  runNamed(runner, statements.recordCompacted, [events.map(({ id }) => id)])

/**
 * Finds the events that were compacted after the last reload of the small dictionaries. For these events, the small
 * dictionaries can still contain an old state of an agent.
 */
export const findUnevictedEvents = (runner: Runner): Promise<Pick<UncompactedEvent, 'id'>[]> =>
  findRows(runner, statements.findUnevicted, [])

export const recordEvicted = (runner: Runner, events: readonly Pick<UncompactedEvent, 'id'>[]): Promise<void> =>
  runNamed(runner, statements.recordEvicted, [events.map(({ id }) => id)])

/** Finds the recorded speeds of packages that ClickHouse's dictionary does not contain yet. */
export const findUnpublishedSpeeds = (runner: Runner): Promise<{ id: string }[]> =>
  findRows(runner, statements.findSpeeds, [])

export const recordPublishedSpeeds = (runner: Runner, speeds: readonly { id: string }[]): Promise<void> =>
  runNamed(runner, statements.recordSpeeds, [speeds.map(({ id }) => id)])

/** The largest span number that ClickHouse's dictionary of spans accepts. */
const spanNumbersMax = 1_000_000_000

const statement = { name: 'last-span-id', text: 'SELECT last_span_id()::float8 AS last' }

/** Returns the fraction of span numbers that is used, for all organisations together. Numbers are never reused. */
export async function readSpanNumbersUsed({ pool }: Postgres): Promise<number> {
  const [row] = await findRows<{ last: number }>(pool, statement, [])
  return (row?.last ?? 0) / spanNumbersMax
}

const readState = { name: 'read-metadata-state', text: 'SELECT read_metadata_state($1, $2) AS state' }

/**
 * Returns a text that changes with the metadata of the panels: when a change is recorded, and when ClickHouse's dictionaries
 * contain it. It covers the panels that the organisation can read, and no others.
 */
export async function readMetadataState(scope: Scope, postgres: Postgres, panels: readonly number[]): Promise<string> {
  const [row] = await readAsTenant(scope, postgres, (client) =>
    findRows<{ state: string }>(client, readState, [scope.organisationId, panels]),
  )
  return row?.state ?? ''
}
