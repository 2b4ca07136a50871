import { rollDice, type Dice } from '../../faults/dice.ts'
import { countedNumbers, type Agent, type Dataset } from './model/facts.ts'

/**
 * Zones that together have all difficult cases of a calendar. The period of each zone contains a leap day and a week
 * 53.
 */
export const calendarZones: Record<string, { from: string; to: string }> = {
  'Europe/London': { from: '2020-01-01', to: '2021-02-01' },
  'America/New_York': { from: '2020-01-01', to: '2021-02-01' },
  // Daylight saving is half an hour.
  'Australia/Lord_Howe': { from: '2020-01-01', to: '2021-02-01' },
  'Asia/Kathmandu': { from: '2020-01-01', to: '2021-02-01' },
  'Pacific/Chatham': { from: '2020-01-01', to: '2021-02-01' },
  // The clock was set forward at midnight, so some days begin at 01:00.
  'America/Sao_Paulo': { from: '2015-12-01', to: '2018-03-01' },
  // The zone skipped 30 December 2011.
  'Pacific/Apia': { from: '2009-12-01', to: '2012-05-01' },
  'Pacific/Kiritimati': { from: '2020-01-01', to: '2021-02-01' },
  // Daylight saving is interrupted during the month of Ramadan.
  'Africa/Casablanca': { from: '2020-01-01', to: '2021-02-01' },
  UTC: { from: '2020-01-01', to: '2021-02-01' },
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The times at which the clock of a zone changes or a special day begins. */
function edges(zone: string, { from, to }: { from: string; to: string }): number[] {
  const end = Temporal.PlainDate.from(to)
  const days: Temporal.PlainDate[] = []
  for (let day = Temporal.PlainDate.from(from); Temporal.PlainDate.compare(day, end) < 0; day = day.add({ days: 1 }))
    if (isOfNote(day)) days.push(day)
  return [...days.map((day) => day.toZonedDateTime(zone).epochMilliseconds), ...transitions(zone, from, to)]
}

/**
 * True for leap days and the days next to them, the days around new year (weeks 53 and 1), and the ends and beginnings
 * of quarters.
 */
const isOfNote = ({ month, day, inLeapYear }: Temporal.PlainDate): boolean =>
  (inLeapYear && ((month === 2 && day >= 28) || (month === 3 && day === 1))) ||
  (month === 12 && day >= 27) ||
  (month === 1 && day <= 5) ||
  (month % 3 === 0 && day >= 30) ||
  (month % 3 === 1 && day === 1)

function transitions(zone: string, from: string, to: string): number[] {
  const found: number[] = []
  const end = Date.parse(to)
  let at = Temporal.PlainDate.from(from).toZonedDateTime(zone).getTimeZoneTransition('next')
  while (at !== null && at.epochMilliseconds < end) {
    found.push(at.epochMilliseconds)
    at = at.getTimeZoneTransition('next')
  }
  return found
}

/**
 * Distinct times, all within a day and a half of an edge. Many are exactly at the edge or a whole number of hours away
 * from it.
 */
function instantsOf(dice: Dice, zone: string, range: { from: string; to: string }, count: number): number[] {
  const near = edges(zone, range)
  const instants = new Set(near.flatMap((edge) => [-1000, -1, 0, 1, 700].map((off) => edge + off)))
  while (instants.size < count) {
    const edge = dice.pick(near)
    const anywhere = edge + dice.between(-1.5 * dayMs, 1.5 * dayMs)
    instants.add(dice.pick([anywhere, anywhere, edge + dice.between(-36, 36) * hourMs + dice.pick([-1, 0, 1])]))
  }
  return [...instants].slice(0, count)
}

/** A dataset with one agent for each zone and one ping for each time. Every ping has a distinct value. */
export function calendarDataset(seed: number, instantsPerZone: number): Dataset {
  const dice = rollDice(seed)
  const agents = Object.keys(calendarZones).map((zone, index): Agent => ({
    id: `in-${zone}`,
    panel: 'homes',
    kind: 'whitebox',
    unit: index + 1,
    base: null,
    country: null,
    timeline: [{ fromDay: 0, isp: null, package: null, zone, custom: {} }],
  }))
  const results = agents.flatMap((agent) => {
    const zone = agent.id.slice('in-'.length)
    const range = calendarZones[zone] ?? { from: '', to: '' }
    return instantsOf(dice, zone, range, instantsPerZone).map((endedAt, index) => ({
      panel: 'homes',
      agent,
      endedAt,
      storedAt: endedAt,
      row: { target: 'p.test', rtt_avg: index + 1, successes: 1, failures: 0 },
    }))
  })
  const lists = {
    panels: [{ key: 'homes', owner: 'acme', subscribers: [] }],
    isps: ['Acme'],
    packages: [{ isp: 'Acme', name: 'One' }],
    agents,
  }
  return { ...lists, results: new Map([['ping', results]]), numbers: countedNumbers(lists) }
}
