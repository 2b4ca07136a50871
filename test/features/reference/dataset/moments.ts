import type { Dice } from '../../../faults/dice.ts'
import type { Agent } from '../model/facts.ts'
import { dayMs, spanOn } from '../model/local-time.ts'
import { busyDays, firstDay, isQuiet, lastDay } from './calendar.ts'
import { chance } from './chances.ts'

const hourMs = 3_600_000

/** Distinct times at which an agent ended a test. Many of them are at boundaries. */
export function momentsOf(dice: Dice, agent: Agent, count: number): number[] {
  const moments = new Set<number>()
  while (moments.size < count) {
    const moment = momentOf(dice, agent)
    if (!isQuiet(moment)) moments.add(moment)
  }
  return [...moments]
}

function momentOf(dice: Dice, agent: Agent): number {
  const kind = dice.between(1, 100)
  if (kind <= 40) return busyMoment(dice)
  if (kind <= 50) return localBorder(dice, agent)
  if (kind <= 53) return changeOfMetadata(dice, agent)
  const day = dice.between(firstDay, lastDay)
  // Evenings have more results. With equal numbers in all hours, normalisation would change nothing.
  const hour = chance(dice, 50) ? dice.between(17, 22) : dice.between(0, 23)
  return day * dayMs + hour * hourMs + withinHour(dice)
}

const withinHour = (dice: Dice): number =>
  dice.between(0, 3599) * 1000 + dice.pick([0, 0, 0, 700, dice.between(0, 999)])

/** A time from half a day before a busy day to half a day after it. This range includes midnight in every zone. */
const busyMoment = (dice: Dice): number =>
  Date.parse(dice.pick(busyDays)) + dice.between(-12, 35) * hourMs + withinHour(dice)

/** A time at the beginning or the end of a local day, often also of a week, a month or a quarter. */
function localBorder(dice: Dice, agent: Agent): number {
  const date = dice.pick([
    randomDate(dice),
    randomDate(dice).with({ day: 1 }),
    Temporal.PlainDate.from(dice.pick(busyDays)),
  ])
  const zone = spanOn(agent, Date.parse(date.toString()) / dayMs).zone ?? 'UTC'
  return date.toZonedDateTime(zone).epochMilliseconds + dice.pick([-1000, -300, -1, 0, 0, 1, 700, 1000])
}

const randomDate = (dice: Dice): Temporal.PlainDate =>
  new Temporal.PlainDate(1970, 1, 1).add({ days: dice.between(firstDay + 20, lastDay - 1) })

function changeOfMetadata(dice: Dice, agent: Agent): number {
  const days = agent.timeline.map(({ fromDay }) => fromDay).filter((day) => day > firstDay && day < lastDay)
  return (
    (days.length === 0 ? dice.between(firstDay, lastDay) : dice.pick(days)) * dayMs + dice.pick([-1000, -1, 0, 1, 700])
  )
}
