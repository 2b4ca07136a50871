import { findRows, type Postgres, runNamed, type Runner } from '../postgres.ts'

/** A change of the timeline the engine's large dictionaries do not have yet. */
export type UnsettledEvent = { id: string; told: boolean; agents: number; registration: boolean }

/**
 * How many there are, how many of them the small dictionaries do not have either, and how many agents they are about: one
 * that was changed twice is two.
 */
export type Unsettled = { readonly events: number; readonly untold: number; readonly agents: number }

const columns = 'SELECT id, told, agents, registration FROM'
const statements = {
  count: {
    name: 'count-unsettled-events',
    text: `SELECT count(*)::integer AS events, count(*) FILTER (WHERE NOT told)::integer AS untold,
      coalesce(sum(agents), 0)::float AS agents FROM find_unsettled_events()`,
  },
  countAgents: { name: 'count-unsettled-agents', text: 'SELECT count_unsettled_agents() AS agents' },
  findNewAgents: {
    name: 'find-untold-registrations',
    text: `${columns} find_unsettled_events() WHERE registration AND NOT told`,
  },
  announce: { name: 'announce-events', text: `${columns} announce_events()` },
  settle: { name: 'begin-settling', text: `${columns} begin_settling()` },
  noteTold: { name: 'note-told', text: 'SELECT note_told($1)' },
  noteSettled: { name: 'note-settled', text: 'SELECT note_settled($1)' },
  findUnshed: { name: 'find-unshed-events', text: 'SELECT id FROM find_unshed_events()' },
  noteShed: { name: 'note-shed', text: 'SELECT note_shed($1)' },
}

/** Counted there: after minutes of steady changes there are thousands, and each keeper looks every second. */
export async function countUnsettledEvents(runner: Runner): Promise<Unsettled> {
  const [counted] = await findRows<Unsettled>(runner, statements.count, [])
  if (counted === undefined) throw new Error('a count gave no row')
  return counted
}

/** How many different agents they are about. Looks at each: 0.1 to 0.5 s for 5,000 events of 100. */
export async function countUnsettledAgents(runner: Runner): Promise<number> {
  const [counted] = await findRows<{ agents: number }>(runner, statements.countAgents, [])
  if (counted === undefined) throw new Error('a count gave no row')
  return counted.agents
}

/** Registrations the engine has not been told of. */
export const findUntoldRegistrations = (runner: Runner): Promise<UnsettledEvent[]> =>
  findRows(runner, statements.findNewAgents, [])

/** Fixes which events the small dictionaries' timelines will show, before their spans are read. */
export const announceEvents = (runner: Runner): Promise<UnsettledEvent[]> => findRows(runner, statements.announce, [])

/** The same for the large dictionaries. */
export const beginSettling = (runner: Runner): Promise<UnsettledEvent[]> => findRows(runner, statements.settle, [])

export const noteTold = (runner: Runner, events: readonly UnsettledEvent[]): Promise<void> =>
  runNamed(runner, statements.noteTold, [events.map(({ id }) => id)])

export const noteSettled = (runner: Runner, events: readonly UnsettledEvent[]): Promise<void> =>
  runNamed(runner, statements.noteSettled, [events.map(({ id }) => id)])

/** Settled events the small dictionaries have not been read again since: those may show an agent as it was before. */
export const findUnshedEvents = (runner: Runner): Promise<Pick<UnsettledEvent, 'id'>[]> =>
  findRows(runner, statements.findUnshed, [])

export const noteShed = (runner: Runner, events: readonly Pick<UnsettledEvent, 'id'>[]): Promise<void> =>
  runNamed(runner, statements.noteShed, [events.map(({ id }) => id)])

/** As many as the engine's dictionary of spans takes. */
const spanNumbersMax = 1_000_000_000

const statement = { name: 'last-span-id', text: 'SELECT last_span_id()::float8 AS last' }

/** The share of the numbers of spans that has been given away, of all organisations; none comes back. */
export async function readSpanNumbersUsed({ pool }: Postgres): Promise<number> {
  const [row] = await findRows<{ last: number }>(pool, statement, [])
  return (row?.last ?? 0) / spanNumbersMax
}
