import { numberLiteral, sql, type Sql } from '../../../base/sql.ts'
import { clockNumberAt, clockValues, type ClockElement, type WeekHour } from '../../../catalog/local-window.ts'
import { clockSplits, type ClockTerms } from './week.ts'

/**
 * Numbers the series of a request by their values of the splits by local time. The number of a series is a number in a mixed
 * radix whose digits are the split values.
 */
export type ClockSeries = {
  readonly count: number
  /** Returns the number of the series that contains the results of an hour. */
  readonly at: (hour: WeekHour) => number
  /** Adds `unit` times the number of a series to an expression. The series is that of the key columns. */
  readonly added: (sum: Sql, unit: number) => Sql
  /** What `added` adds for series number 0, in units. */
  readonly offset: number
}

/** `splits` are the names of the key columns of a series. */
export function clockSeries(terms: ClockTerms, splits: readonly Sql[]): ClockSeries {
  const digits = clockSplits(terms).map(({ clock, index }, place, all) => ({
    clock,
    key: splits[index] ?? sql`0`,
    weight: all.slice(place + 1).reduce((size, later) => size * clockValues(later.clock).length, 1),
  }))
  return {
    count: digits.reduce((size, { clock }) => size * clockValues(clock).length, 1),
    at: (hour) =>
      digits.reduce((sum, { clock, weight }) => sum + (clockNumberAt(clock, hour) - firstOf(clock)) * weight, 0),
    added: (first, unit) =>
      digits.reduce((sum, { key, weight }) => sql`${sum} + ${key} * ${numberLiteral(weight * unit)}`, first),
    offset: digits.reduce((sum, { clock, weight }) => sum + firstOf(clock) * weight, 0),
  }
}

/** Returns the smallest value of a split: 1 for days of the week, and 0 for hours and for `peak`. */
const firstOf = ({ element }: ClockElement): number => (element === 'day_of_week' ? 1 : 0)
