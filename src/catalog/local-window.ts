/**
 * Hours of the week on the local clock of each agent. Null means every day of the week or every hour. Monday is 1. The hour 19
 * is the time from 19:00:00 to 19:59:59.
 */
export type LocalWindow = {
  readonly weekdays: readonly number[] | null
  readonly hours: readonly number[] | null
}

export const weekdays: readonly number[] = [1, 2, 3, 4, 5, 6, 7]
export const hoursOfDay: readonly number[] = Array.from({ length: 24 }, (_, hour) => hour)

/** The busy hours of regulators in the United States and Australia. */
export const defaultPeak = { weekdays: [1, 2, 3, 4, 5], hours: [19, 20, 21, 22] } as const satisfies LocalWindow

export const isInWindow = (window: LocalWindow, { weekday, hour }: WeekHour): boolean =>
  (window.weekdays?.includes(weekday) ?? true) && (window.hours?.includes(hour) ?? true)

/** One of the 168 hours of a week. */
export type WeekHour = { readonly weekday: number; readonly hour: number }

export const hoursOfWeek: readonly WeekHour[] = weekdays.flatMap((weekday) =>
  hoursOfDay.map((hour) => ({ weekday, hour })),
)

/** The value of a dimension that depends only on the local time of a result. */
export type ClockElement =
  | { readonly element: 'hour_of_day' | 'day_of_week' }
  /** The value is whether the result is inside the window. */
  | { readonly element: 'peak'; readonly window: LocalWindow }

/** The values of `peak`. The index is 1 for results inside the window. */
export const peakValues = ['off_peak', 'peak'] as const

/** All values of the dimension, as texts. */
export function clockValues({ element }: ClockElement): readonly string[] {
  if (element === 'peak') return peakValues
  return (element === 'hour_of_day' ? hoursOfDay : weekdays).map(String)
}

/** The value at an hour of the week, as a number: for `peak`, the index in `peakValues`. */
export function clockNumberAt(clock: ClockElement, at: WeekHour): number {
  if (clock.element === 'peak') return Number(isInWindow(clock.window, at))
  return clock.element === 'hour_of_day' ? at.hour : at.weekday
}

export const clockTextAt = (clock: ClockElement, at: WeekHour): string =>
  clock.element === 'peak' ? peakValues[isInWindow(clock.window, at) ? 1 : 0] : String(clockNumberAt(clock, at))
