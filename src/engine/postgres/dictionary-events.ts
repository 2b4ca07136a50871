import { findRows, runNamed, type Runner } from './postgres.ts'

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

export const findUnsettledEvents = (runner: Runner): Promise<UnsettledEvent[]> => findRows(runner, statements.find, [])

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
