import type { Cell } from './facts.ts'
import { dayMs } from './local-time.ts'
import { isInclude, type MetricRequest, type Window } from './request.ts'
import type { Rules } from './rules.ts'

const hourMs = 3_600_000

/** The dimensions that are properties of a local time alone. */
export const clockIds = ['hour_of_day', 'day_of_week', 'peak']

export const usualPeak: Window = { weekdays: [1, 2, 3, 4, 5], hours: [19, 20, 21, 22] }

/** The window that filters, and the one that says when it is peak. A request gives one window, which is either. */
export type Windows = { filter?: Window; peak: Window }

export function windowsOf({ window, splits = [], filters = [] }: MetricRequest, rules: Rules): Windows {
  const asksForPeak = [...splits, ...filters.map(({ id }) => id)].includes('peak')
  if (window === undefined) return { peak: usualPeak }
  if (rules.windowWithPeak === 'filters too') return { filter: window, peak: window }
  return asksForPeak ? { peak: window } : { filter: window, peak: usualPeak }
}

/** Local times are in milliseconds, as if they were UTC. */
export const hourAt = (localMs: number): number => new Date(localMs).getUTCHours()
/** JavaScript's Sunday is 0. */
export const weekdayAt = (localMs: number): number => new Date(localMs).getUTCDay() || 7

export const isInside = ({ weekdays, hours }: Window, localMs: number): boolean =>
  (weekdays === undefined || weekdays.includes(weekdayAt(localMs))) &&
  (hours === undefined || hours.includes(hourAt(localMs)))

export function clockValue(id: string, localMs: number, peak: Window): Cell {
  if (id === 'hour_of_day') return hourAt(localMs)
  if (id === 'day_of_week') return weekdayAt(localMs)
  return isInside(peak, localMs) ? 'peak' : 'off_peak'
}

/** The beginnings of the 168 hours of a week: 5 January 1970 was a Monday. */
const week = Array.from({ length: 168 }, (_, hour) => 4 * dayMs + hour * hourMs)

/**
 * The hours of a week in which a result of the same series could have been measured: they pass the window and the filters by
 * local time, and have the same values of the splits by local time.
 */
export function hoursOfSeries(localMs: number, request: MetricRequest, rules: Rules): number[] {
  const windows = windowsOf(request, rules)
  const { splits = [], filters = [] } = request
  const own = splits
    .filter((id) => clockIds.includes(id))
    .map((id) => [id, clockValue(id, localMs, windows.peak)] as const)
  return week.filter(
    (at) =>
      (windows.filter === undefined || isInside(windows.filter, at)) &&
      filters
        .filter(({ id }) => clockIds.includes(id))
        .every(
          ({ id, filterType, filterValues }) =>
            filterValues.includes(String(clockValue(id, at, windows.peak))) === isInclude(filterType),
        ) &&
      own.every(([id, value]) => clockValue(id, at, windows.peak) === value),
  )
}
