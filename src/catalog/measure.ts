import { sql, type Sql } from '../base/sql.ts'

/**
 * What a metric computes from a row. Stored columns are whole numbers, so sums and sums of squares of a value are kept as
 * whole numbers too: means and deviations are then exact however large the values and however many the rows.
 */
export type Measure =
  | {
      readonly kind: 'value'
      /** A whole number, over the columns of the test's table; null where the row has none. */
      readonly integer: Sql
      /** That number, or a mean, deviation or percentile of such numbers, in the metric's unit. */
      readonly inUnit: (integer: Sql) => Sql
    }
  | { readonly kind: 'ratio'; readonly numerator: Sql; readonly denominator: Sql }

const measured =
  (inUnit: (integer: Sql) => Sql) =>
  (integer: Sql): Measure => ({ kind: 'value', integer, inUnit })

/** Decimal megabits: operators advertise, and regulators publish, powers of ten. */
export const megabitsOfBytes = measured((bytes) => sql`${bytes} * 8 / 1e6`)
export const megabytesOfBytes = measured((bytes) => sql`${bytes} / 1e6`)
export const millisecondsOfMicroseconds = measured((microseconds) => sql`${microseconds} / 1000`)
export const secondsOfMicroseconds = measured((microseconds) => sql`${microseconds} / 1e6`)
export const counted = measured((number) => number)

/** In per cent: of all attempts together, never a mean of the rows' percentages. */
export const percentOf = (numerator: Sql, denominator: Sql): Measure => ({ kind: 'ratio', numerator, denominator })

export const failuresOfAttempts: Measure = percentOf(sql`failures`, sql`successes + failures`)
