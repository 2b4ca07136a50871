import type { Synthesis } from './define-synthesis.ts'
import type { Population } from './options.ts'

/** A range of time; `to` is not included. */
export type Range = { readonly from: Temporal.Instant; readonly to: Temporal.Instant }

/** A part of a panel's results of one test: a time range, and a range of agent numbers that includes both ends. */
export type Portion = Range & {
  readonly firstAgent: number
  readonly lastAgent: number
}

/**
 * Approximate number of rows of an insert: large enough that planning costs little, small enough for a few hundred megabytes of
 * memory.
 */
const rowsMax = 1_200_000

/** The range of days that the panel's options name. */
export const wholeRange = ({ firstDay, lastDay }: Pick<Population, 'firstDay' | 'lastDay'>): Range => ({
  from: startOf(firstDay),
  to: startOf(lastDay.add({ days: 1 })),
})

/**
 * Splits a test's results into inserts that ClickHouse stores completely or not at all: each is within one month, because
 * ClickHouse splits a block by partition. A portion has as many days as fit the size; if not even one day fits, a range of
 * agents. The portions of an agent are ordered by time.
 */
export function portions(
  { test, everyHours, turns, parts }: Synthesis,
  range: Range,
  numbers: { first: number; last: number },
): Portion[] {
  const rowsPerAgentDay = Math.max(1, ((test.schedule.length - 1) / everyHours) * turns * (parts?.about ?? 1))
  const agents = numbers.last - numbers.first + 1
  const agentsMax = Math.min(agents, Math.ceil(rowsMax / rowsPerAgentDay))
  const daysMax = Math.max(1, Math.floor(rowsMax / (rowsPerAgentDay * agentsMax)))
  const all: Portion[] = []
  for (const days of dayRanges(range, daysMax)) {
    for (let firstAgent = numbers.first; firstAgent <= numbers.last; firstAgent += agentsMax) {
      all.push({ ...days, firstAgent, lastAgent: Math.min(numbers.last, firstAgent + agentsMax - 1) })
    }
  }
  return all
}

function* dayRanges({ from, to: end }: Range, daysMax: number): Generator<Range> {
  for (let start = from; Temporal.Instant.compare(start, end) < 0;) {
    const day = start.toZonedDateTimeISO('UTC').toPlainDate()
    const monthEnds = day.with({ day: day.daysInMonth }).add({ days: 1 })
    const to = earliest(earliest(startOf(day.add({ days: daysMax })), startOf(monthEnds)), end)
    yield { from: start, to }
    start = to
  }
}

const startOf = (day: Temporal.PlainDate): Temporal.Instant => day.toZonedDateTime('UTC').toInstant()

const earliest = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(one, other) < 0 ? one : other
