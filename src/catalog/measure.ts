import { sql, type Sql } from '../base/sql.ts'

/**
 * What a metric computes from a row. Stored columns contain whole numbers. Sums and sums of squares are therefore whole numbers
 * too, and means and deviations are exact for any size and number of values.
 */
export type Measure =
  | {
      readonly kind: 'value'
      /** Expression over the columns of the test's table. Its value is a whole number, or null if the row has no value. */
      readonly integer: Sql
      /**
       * Converts a value of `integer` to the unit of the metric. Also applies to a mean, deviation or percentile of these
       * values.
       */
      readonly inUnit: (integer: Sql) => Sql
      /** True if `integer` is an Int128 because it can need more than 64 bits. Otherwise it fits into an Int64, which is faster. */
      readonly isWide?: true
      /** Is null if `integer` is null, and simpler. */
      readonly stored?: Sql
    }
  | { readonly kind: 'ratio'; readonly numerator: Sql; readonly denominator: Sql }

const measured =
  (inUnit: (integer: Sql) => Sql) =>
  (integer: Sql): Measure => ({ kind: 'value', integer, inUnit })

/** Decimal megabits (powers of ten), as ISPs advertise and regulators publish speeds. */
export const megabitsOfBytes = measured((bytes) => sql`${bytes} * 8 / 1e6`)
export const millisecondsOfMicroseconds = measured((microseconds) => sql`${microseconds} / 1000`)
export const secondsOfMicroseconds = measured((microseconds) => sql`${microseconds} / 1e6`)
export const counted = measured((number) => number)

/** Megabytes of `total` without those of `part`. The difference of two 64-bit numbers can need 65 bits. */
export const megabytesWithout = (total: Sql, part: Sql): Measure => ({
  kind: 'value',
  integer: sql`toInt128(${total}) - ${part}`,
  inUnit: (bytes) => sql`${bytes} / 1e6`,
  isWide: true,
})

/**
 * The percentage of a speed `plan` in bits per second that a speed in bytes per second reaches. It is rounded to a whole number
 * of 1e-12 %, halves away from zero, because sums of whole numbers are exact in any order.
 */
export const percentOfPlan = (bytes: Sql, plan: Sql): Measure => ({
  kind: 'value',
  integer: sql`intDiv(toInt128(${bytes}) * 800000000000000 + if(${bytes} < 0, -1, 1) * intDiv(toInt128(${plan}), 2), toInt128(${plan}))`,
  inUnit: (percentage) => sql`${percentage} / 1e12`,
  isWide: true,
  stored: bytes,
})

/** The percentage of all attempts together, and not the mean of the percentages of the rows. */
export const percentOf = (numerator: Sql, denominator: Sql): Measure => ({ kind: 'ratio', numerator, denominator })

export const failuresOfAttempts: Measure = percentOf(sql`failures`, sql`successes + failures`)
