import type { Synthesis } from './define-synthesis.ts'
import type { Population } from './options.ts'
import type { Portion } from './slots.ts'

/** Rows of one insertion, about: large enough that planning it costs little, small enough for a few hundred megabytes. */
const rowsMax = 1_200_000

/**
 * A test's results cut into insertions that each are stored whole or not at all: of one month, because a block is cut
 * where a partition ends, and of as many days, or else as many agents, as make the right size.
 */
export function portions(
  { test, everyHours, turns, parts }: Synthesis,
  { firstDay, lastDay }: Pick<Population, 'firstDay' | 'lastDay'>,
  numbers: { first: number; last: number },
): Portion[] {
  const rowsPerAgentDay = Math.max(1, ((test.schedule.length - 1) / everyHours) * turns * (parts?.about ?? 1))
  const agents = numbers.last - numbers.first + 1
  const agentsMax = Math.min(agents, Math.ceil(rowsMax / rowsPerAgentDay))
  const daysMax = Math.max(1, Math.floor(rowsMax / (rowsPerAgentDay * agentsMax)))
  const all: Portion[] = []
  for (const days of dayRanges(firstDay, lastDay, daysMax)) {
    for (let firstAgent = numbers.first; firstAgent <= numbers.last; firstAgent += agentsMax) {
      all.push({ ...days, firstAgent, lastAgent: Math.min(numbers.last, firstAgent + agentsMax - 1) })
    }
  }
  return all
}

function* dayRanges(
  firstDay: Temporal.PlainDate,
  lastDay: Temporal.PlainDate,
  daysMax: number,
): Generator<Pick<Portion, 'firstDay' | 'lastDay'>> {
  for (let from = firstDay; Temporal.PlainDate.compare(from, lastDay) <= 0;) {
    const monthEnds = from.with({ day: from.daysInMonth })
    const to = earliest(earliest(from.add({ days: daysMax - 1 }), monthEnds), lastDay)
    yield { firstDay: from, lastDay: to }
    from = to.add({ days: 1 })
  }
}

const earliest = (one: Temporal.PlainDate, other: Temporal.PlainDate): Temporal.PlainDate =>
  Temporal.PlainDate.compare(one, other) < 0 ? one : other
