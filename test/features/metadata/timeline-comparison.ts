import { type State, stateText, type Timeline, windowDays } from './timeline-model.ts'
import type { SpanVersion, StoredAgent } from './timeline-readback.ts'

/**
 * The first day of the window. The window contains a leap day, the ends of two months and a clock change in North
 * America.
 */
const firstDay = Temporal.PlainDate.from('2024-02-10')

/** The calendar day of each index in a timeline. Index 0 is for all days before the window. */
export const calendarDays: readonly string[] = [
  '1970-01-01',
  ...Array.from({ length: windowDays }, (_, index) => firstDay.add({ days: index }).toString()),
]

export type DifferenceKind = 'state' | 'gap' | 'overlap' | 'neighbours' | 'outside' | 'current' | 'identity'
export type Difference = { kind: DifferenceKind; text: string }

/** The expected timeline from an event until the next event of the agent. */
export type Knowledge = { eventId: number; timeline: Timeline }

/** Compares everything stored about one agent with all expected timelines. The last timeline is the current one. */
export function compareAgent({ versions, current }: StoredAgent, knowledge: readonly Knowledge[]): Difference[] {
  const standing = versions.filter(({ retiredBy }) => retiredBy === null)
  const last = knowledge.at(-1)
  return [
    ...(last === undefined ? [] : compareSpans(standing, last.timeline, 'now')),
    ...knowledge.flatMap(({ eventId, timeline }, changes) =>
      compareSpans(knownAt(versions, eventId), timeline, `as known after ${changes} changes`),
    ),
    ...compareCurrent(current, standing),
    ...compareIdentity(versions),
  ]
}

const knownAt = (versions: readonly SpanVersion[], eventId: number): SpanVersion[] =>
  versions.filter((one) => one.eventId <= eventId && (one.retiredBy === null || one.retiredBy > eventId))

/**
 * Caches the text of each state. Most days have the same state as the day before, and most versions are compared again
 * after each change.
 */
const texts = new WeakMap<State, string>()

function textOf(state: State): string {
  const text = texts.get(state) ?? stateText(state)
  texts.set(state, text)
  return text
}

/** Compares spans with a timeline. `spans` must be in the order of their first days. */
function compareSpans(spans: readonly SpanVersion[], timeline: Timeline, when: string): Difference[] {
  const differences: Difference[] = []
  const add = (kind: DifferenceKind, text: string) => differences.push({ kind, text: `${when}: ${text}` })
  if (spans[0]?.fromDay !== calendarDays[0]) add('gap', `the first span begins ${spans[0]?.fromDay}`)
  for (const [index, { fromDay, state }] of spans.entries()) {
    const next = spans[index + 1]
    if (!calendarDays.includes(fromDay)) add('outside', `a span begins ${fromDay}, where no change begins`)
    if (next !== undefined && next.fromDay <= fromDay) add('overlap', `two spans begin ${next.fromDay}`)
    if (next !== undefined && textOf(next.state) === textOf(state)) add('neighbours', `same before ${next.fromDay}`)
  }
  for (const [place, expected] of timeline.entries()) {
    const calendarDay = calendarDays[place] ?? ''
    const span = spans.findLast(({ fromDay }) => fromDay <= calendarDay)
    const found = span === undefined ? 'nothing' : textOf(span.state)
    if (found !== textOf(expected)) add('state', `${calendarDay} is ${found}, should be ${textOf(expected)}`)
  }
  return differences
}

function compareCurrent(current: StoredAgent['current'], standing: readonly SpanVersion[]): Difference[] {
  const last = standing.at(-1)
  const found = [current.fromDay, current.spanId, textOf(current.state), current.days, current.spanIds]
  const expected = [
    last?.fromDay,
    last?.id,
    last === undefined ? null : textOf(last.state),
    standing.map(({ fromDay }) => fromDay),
    standing.map(({ id }) => id),
  ]
  if (JSON.stringify(found) === JSON.stringify(expected)) return []
  return [{ kind: 'current', text: `current is ${JSON.stringify(found)}, should be ${JSON.stringify(expected)}` }]
}

/** A span that was written later must have a larger id, and no id may belong to two versions. */
function compareIdentity(versions: readonly SpanVersion[]): Difference[] {
  const written = versions.toSorted((one, other) => one.eventId - other.eventId || one.id - other.id)
  return written.flatMap(({ id, eventId, retiredBy }, index) => {
    const previous = written[index - 1]
    return [
      ...(previous !== undefined && previous.id >= id ? [`span ${id} was written after span ${previous.id}`] : []),
      ...(retiredBy !== null && retiredBy <= eventId ? [`span ${id} was retired before it was written`] : []),
    ].map((text): Difference => ({ kind: 'identity', text }))
  })
}
