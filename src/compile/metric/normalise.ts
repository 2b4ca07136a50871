import { bind, sql, type Sql } from '../../base/sql.ts'
import { hoursOfDay } from '../../catalog/local-window.ts'
import type { Schedule } from '../../catalog/schedules.ts'
import { localWeekday } from './clock/clock-value.ts'
import { blockHours, blockOf, type ClockTerms } from './clock/week.ts'
import type { Alias } from './local-time.ts'
import type { MetricPlan } from './metric-plan.ts'
import { inUnit, type Spread } from './statistics.ts'

const byHour = (values: readonly number[]): Sql => sql`${bind('Array(UInt8)', values)}[local_hour + 1]`

/**
 * Defines `block`, the block of the schedule that contains a row's local hour. Also defines `block_hours`, the number of hours
 * of that block that are inside the row's bucket and that can have results in the row's series. These are hours on the clock:
 * their number is the same on a day with 23 or 25 hours, and in a range that begins or ends within a day.
 */
export function blockAliases(
  schedule: Schedule,
  aggregation: Parameters<typeof blockHours>[1],
  terms: ClockTerms,
): readonly Alias[] {
  const inside = blockHours(schedule, aggregation, terms)
  return [
    { name: 'local_hour', value: sql`intDiv(local_second % 86400, 3600)` },
    { name: 'block', value: byHour(hoursOfDay.map((hour) => blockOf(schedule, hour))) },
    {
      name: 'block_hours',
      value:
        inside.of === 'day'
          ? byHour(inside.hours)
          : sql`${bind('Array(UInt8)', inside.hours)}[(${localWeekday} - 1) * 24 + local_hour + 1]`,
    },
  ]
}

/**
 * Sorts an array that has one value per block by the number of the block. Threads and nodes return the blocks in any order,
 * and the last digit of a floating-point sum depends on the order.
 */
export const inBlockOrder = (values: Sql, blocks: Sql): Sql => sql`arraySort((_, b) -> b, ${values}, ${blocks})`

/**
 * A result in block b has the weight hours(b) / results(b), so that a block counts by its hours and not by its number of
 * results. The arrays `each_…` have one element per block. `effective` is the effective sample size: the number of equally
 * weighted results that have the same standard error.
 */
export const weight: Alias = { name: 'weight', value: sql`arraySum(each_hours)` }
export const effective: Alias = {
  name: 'effective',
  value: sql`weight * weight / arraySum((h, n) -> h * h / n, each_hours, each_results)`,
}

const weightedMean = (values: Sql): Sql => sql`arraySum((h, m) -> h * m, each_hours, ${values}) / weight`

/**
 * Computes means relative to a whole number near the values (`midst`). Otherwise, for values near 1e9, a difference of 1 would
 * be lost.
 */
function ofValues(plan: MetricPlan): Spread {
  const variance = sql`toFloat64(toInt256(n) * q - toInt256(t) * t) / n / n`
  const deviation = inUnit(plan, sql`sqrt(variance)`)
  return {
    steps: [
      [weight, { name: 'midst', value: sql`intDiv(arraySum(each_total), toInt128(sample_count))` }],
      [
        effective,
        { name: 'each_mean', value: sql`arrayMap((t, n) -> toFloat64(t - n * midst) / n, each_total, each_results)` },
        {
          name: 'each_variance',
          value: sql`arrayMap((t, q, n) -> ${variance}, each_total, each_squares, each_results)`,
        },
      ],
      [{ name: 'mean', value: weightedMean(sql`each_mean`) }],
      [{ name: 'variance', value: weightedVariance }],
    ],
    metricValue: inUnit(plan, sql`(toFloat64(midst) + mean)`),
    deviation,
    standardError: sql`${deviation} / sqrt(effective)`,
  }
}

const weightedVariance = sql`arraySum((h, v, m) -> h * (v + (m - mean) * (m - mean)), each_hours, each_variance, each_mean) / weight`

const weightedSum = (values: Sql): Sql =>
  sql`arraySum((h, n, x) -> h / n * toFloat64(x), each_hours, each_results, ${values})`

/**
 * Σ(a − R·d)² of one block. It is computed relative to the ratio r = A / D of the block: the large terms are then whole
 * numbers, and cancel exactly if every row has the same ratio. `greatest` corrects rounding errors below zero.
 */
const ownResiduals = sql`toFloat64(toInt256(d) * d * aa - 2 * toInt256(a) * d * ad + toInt256(a) * a * dd) / toFloat64(d) / toFloat64(d)`
const ratioDifference = sql`(toFloat64(a) / toFloat64(d) - share)`
const residuals = sql`greatest(${ownResiduals} + 2 * ${ratioDifference} * toFloat64(toInt256(d) * ad - toInt256(a) * dd) / toFloat64(d) + ${ratioDifference} * ${ratioDifference} * toFloat64(dd), 0)`

const ofRatios: Spread = {
  steps: [
    [
      weight,
      { name: 'weighted_numerators', value: weightedSum(sql`each_numerators`) },
      { name: 'weighted_denominators', value: weightedSum(sql`each_denominators`) },
    ],
    [
      effective,
      { name: 'share', value: sql`weighted_numerators / weighted_denominators` },
      { name: 'mean', value: weightedMean(sql`each_mean`) },
    ],
    [
      { name: 'variance', value: weightedVariance },
      {
        name: 'residuals',
        value: sql`arraySum((h, n, a, d, aa, ad, dd) -> h * h / n / n * ${residuals}, each_hours, each_results, each_numerators, each_denominators, each_numerator_squares, each_products, each_denominator_squares)`,
      },
    ],
  ],
  metricValue: sql`100 * share`,
  deviation: sql`sqrt(variance)`,
  standardError: sql`100 * sqrt(residuals) / weighted_denominators`,
}

export const normalisedSpread = (plan: MetricPlan): Spread =>
  plan.metric.measure.kind === 'value' ? ofValues(plan) : ofRatios
