import type { ClientBase } from 'pg'
import { findRows, speaking, type Postgres } from './postgres.ts'

/** A change of the timeline the engine's large dictionaries do not have yet. */
export type UnsettledEvent = { id: string; told: boolean; agents: number; registration: boolean }

const columns = 'SELECT id, told, agents, registration FROM'
const statements = {
  find: { name: 'find-unsettled-events', text: `${columns} find_unsettled_events()` },
  announce: { name: 'announce-events', text: `${columns} announce_events()` },
  settle: { name: 'begin-settling', text: `${columns} begin_settling()` },
  noteTold: { name: 'note-told', text: 'SELECT note_told($1)' },
  noteSettled: { name: 'note-settled', text: 'SELECT note_settled($1)' },
  findUnshed: { name: 'find-unshed-events', text: 'SELECT id FROM find_unshed_events()' },
  noteShed: { name: 'note-shed', text: 'SELECT note_shed($1)' },
}

export type Runner = Postgres['pool'] | ClientBase

export const findUnsettledEvents = (runner: Runner): Promise<UnsettledEvent[]> => findRows(runner, statements.find, [])

/** Fixes which events the small dictionaries' timelines will show, before their spans are read. */
export const announceEvents = (runner: Runner): Promise<UnsettledEvent[]> => findRows(runner, statements.announce, [])

/** The same for the large dictionaries. */
export const beginSettling = (runner: Runner): Promise<UnsettledEvent[]> => findRows(runner, statements.settle, [])

export const noteTold = async (runner: Runner, events: readonly UnsettledEvent[]): Promise<void> =>
  void (await findRows(runner, statements.noteTold, [events.map(({ id }) => id)]))

export const noteSettled = async (runner: Runner, events: readonly UnsettledEvent[]): Promise<void> =>
  void (await findRows(runner, statements.noteSettled, [events.map(({ id }) => id)]))

/** Settled events the small dictionaries have not been read again since: those may show an agent as it was before. */
export const findUnshedEvents = (runner: Runner): Promise<Pick<UnsettledEvent, 'id'>[]> =>
  findRows(runner, statements.findUnshed, [])

export const noteShed = async (runner: Runner, events: readonly Pick<UnsettledEvent, 'id'>[]): Promise<void> =>
  void (await findRows(runner, statements.noteShed, [events.map(({ id }) => id)]))

/** Any numbers will do, as long as every copy of the service uses the same ones, and nobody else: migrations have some too. */
export const lockNumbers = {
  telling: 7_041_931_003,
  settling: 7_041_931_004,
  noting: 7_041_931_006,
  rolling: 7_041_931_008,
  auditing: 7_041_931_009,
}

/** Waits until nobody tells the engine, then runs `work` while nobody can. An error ends the connection, and the lock. */
export async function whileNobodyTells(client: ClientBase, work: () => Promise<void>): Promise<void> {
  await speaking(() => client.query('SELECT pg_advisory_lock($1)', [lockNumbers.telling]))
  await work()
  await speaking(() => client.query('SELECT pg_advisory_unlock($1)', [lockNumbers.telling]))
}

/** Runs `work` unless another copy of the service is at it; then that one does it, and null is the answer. */
export async function ifNobodyElse<Result>(
  { pool }: Postgres,
  task: keyof typeof lockNumbers,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result | null> {
  const client = await speaking(() => pool.connect())
  try {
    const { rows } = await speaking(() =>
      client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [lockNumbers[task]]),
    )
    const result = rows[0]?.locked === true ? await work(client) : null
    if (rows[0]?.locked === true)
      await speaking(() => client.query('SELECT pg_advisory_unlock($1)', [lockNumbers[task]]))
    client.release()
    return result
  } catch (error) {
    client.release(true) // ends the lock too
    throw error
  }
}
