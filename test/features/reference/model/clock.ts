import type { Cell } from './facts.ts'
import { dayMs } from './local-time.ts'
import { holdsFor } from './filters/holds-for.ts'
import { idsOf, type Filter } from './filters/filter.ts'
import type { MetricRequest, Window } from './request.ts'
import type { Rules } from './rules.ts'

const hourMs = 3_600_000

/** The dimensions that are properties of a local time alone. */
export const clockIds = ['hour_of_day', 'day_of_week', 'peak']

export const usualPeak: Window = { weekdays: [1, 2, 3, 4, 5], hours: [19, 20, 21, 22] }

/** The window that filters, and the one that says when it is peak. A request gives one window, which is either. */
export type Windows = { filter?: Window; peak: Window }

export function windowsOf({ window, splits = [], filters = [] }: MetricRequest, rules: Rules): Windows {
  const asksForPeak = [...splits, ...idsOf(filters)].includes('peak')
  if (window === undefined) return { peak: usualPeak }
  if (rules.windowWithPeak === 'filters too') return { filter: window, peak: window }
  return asksForPeak ? { peak: window } : { filter: window, peak: usualPeak }
}

const remainder = (number: number, divisor: number): number => ((number % divisor) + divisor) % divisor

/** Local times are in milliseconds, as if they were UTC. */
export const hourAt = (localMs: number): number => remainder(Math.floor(localMs / hourMs), 24)
/** From 1 on Monday to 7. The first day of 1970 was a Thursday. */
export const weekdayAt = (localMs: number): number => remainder(Math.floor(localMs / dayMs) + 3, 7) + 1

export const isInside = ({ weekdays, hours }: Window, localMs: number): boolean =>
  (weekdays === undefined || weekdays.includes(weekdayAt(localMs))) &&
  (hours === undefined || hours.includes(hourAt(localMs)))

export function clockValue(id: string, localMs: number, peak: Window): Cell {
  if (id === 'hour_of_day') return hourAt(localMs)
  if (id === 'day_of_week') return weekdayAt(localMs)
  return isInside(peak, localMs) ? 'peak' : 'off_peak'
}

/** The beginnings of the 168 hours of a week: 5 January 1970 was a Monday. */
export const week = Array.from({ length: 168 }, (_, hour) => 4 * dayMs + hour * hourMs)

/**
 * The hours of a week in which a result of the same series could have been measured: they pass the window and can pass the
 * filters, and have the same values of the splits by local time.
 */
export function hoursOfSeries(localMs: number, request: MetricRequest, rules: Rules): readonly number[] {
  const windows = windowsOf(request, rules)
  const { splits = [], filters = [] } = request
  const own = splits
    .filter((id) => clockIds.includes(id))
    .map((id) => [id, clockValue(id, localMs, windows.peak)] as const)
  const known = hoursOfRequests.get(request) ?? []
  hoursOfRequests.set(request, known)
  const name = JSON.stringify(own)
  const found = known.find((one) => one.rules === rules && one.name === name)
  if (found !== undefined) return found.hours
  const hours = week.filter(
    (at) =>
      (windows.filter === undefined || isInside(windows.filter, at)) &&
      filters.every(
        (filter) =>
          (rules.hoursOfGroups === 'all' && !('id' in filter)) || outcomesAt(at, filter, windows.peak, rules).passes,
      ) &&
      own.every(([id, value]) => clockValue(id, at, windows.peak) === value),
  )
  known.push({ rules, name, hours })
  return hours
}

/** Cached, because every point of a series has the same hours. */
const hoursOfRequests = new WeakMap<MetricRequest, { rules: Rules; name: string; hours: readonly number[] }[]>()

/** Whether some result of an hour passes a filter, and whether some result fails it. */
type Outcomes = { passes: boolean; fails: boolean }

/** Conditions that are not by local time are taken by themselves: each of them can hold and can fail. */
function outcomesAt(at: number, filter: Filter, peak: Window, rules: Rules): Outcomes {
  const of = (inner: Filter): Outcomes => outcomesAt(at, inner, peak, rules)
  if ('not' in filter) {
    const { passes, fails } = of(filter.not)
    return { passes: fails, fails: passes }
  }
  if ('any' in filter) {
    const found = filter.any.map(of)
    return { passes: found.some(({ passes }) => passes), fails: found.every(({ fails }) => fails) }
  }
  if ('all' in filter) {
    const found = filter.all.map(of)
    return { passes: found.every(({ passes }) => passes), fails: found.some(({ fails }) => fails) }
  }
  if (!clockIds.includes(filter.id)) return { passes: true, fails: true }
  const holds = holdsFor(filter, noNumbers, rules)(clockValue(filter.id, at, peak)) === true
  return { passes: holds, fails: !holds }
}

/** Values of local time have no other name. */
const noNumbers = { isps: new Map<string, number>(), packages: new Map<string, number>() }
