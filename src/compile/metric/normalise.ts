import { bind, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import type { Schedule } from '../../catalog/schedules.ts'
import type { Alias } from './local-time.ts'
import type { MetricPlan } from './metric-plan.ts'
import { inUnit, type Spread } from './statistics.ts'

const hours = Array.from({ length: 24 }, (_, hour) => hour)

const byHour = (values: readonly number[]): Sql => sql`${bind('Array(UInt8)', values)}[local_hour + 1]`

/**
 * `block`, the block of the schedule a row's local hour belongs to, and `block_hours`, how many hours of that block lie
 * inside the row's bucket. Clock hours: neither a night with 23 or 25 of them nor a range that cuts a day changes them.
 */
export function blockAliases(schedule: Schedule, { hours: bucketHours }: Pick<Aggregation, 'hours'>): readonly Alias[] {
  const blockOf = (hour: number): number => schedule.findLastIndex((start) => start <= hour)
  const length = bucketHours ?? 24
  const inside = hours.map((hour) => {
    const bucketStart = hour - (hour % length)
    const [start = 0, end = 24] = schedule.slice(blockOf(hour), blockOf(hour) + 2)
    return Math.min(end, bucketStart + length) - Math.max(start, bucketStart)
  })
  return [
    { name: 'local_hour', value: sql`intDiv(local_second % 86400, 3600)` },
    { name: 'block', value: byHour(hours.map(blockOf)) },
    { name: 'block_hours', value: byHour(inside) },
  ]
}

/**
 * One value a block, in the order of the blocks. They come in the order in which threads and nodes are done, and what is
 * worked out of them would differ in its last digit from one time to the next.
 */
export const inBlockOrder = (values: Sql, blocks: Sql): Sql => sql`arraySort((_, b) -> b, ${values}, ${blocks})`

/**
 * A result of block b weighs hours(b) / results(b), so that a block counts by its hours and not by how many results fell
 * into it. Over one array element a block. `effective` is the number of equally weighing results that would be as certain.
 */
const weight: Alias = { name: 'weight', value: sql`arraySum(each_hours)` }
const effective: Alias = {
  name: 'effective',
  value: sql`weight * weight / arraySum((h, n) -> h * h / n, each_hours, each_results)`,
}

const weightedMean = (values: Sql): Sql => sql`arraySum((h, m) -> h * m, each_hours, ${values}) / weight`

/** Means are taken about a whole number in the midst of the values: near 1e9 a difference of 1 would be lost otherwise. */
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
 * Σ(a − R·d)² of one block, about the block's own share r = A / D: what is large in it is then worked out in whole numbers,
 * and nothing is left of it when every row has the same share. Never below zero, although the last digits may say so.
 */
const ownResiduals = sql`toFloat64(toInt256(d) * d * aa - 2 * toInt256(a) * d * ad + toInt256(a) * a * dd) / toFloat64(d) / toFloat64(d)`
const shareAhead = sql`(toFloat64(a) / toFloat64(d) - share)`
const residuals = sql`greatest(${ownResiduals} + 2 * ${shareAhead} * toFloat64(toInt256(d) * ad - toInt256(a) * dd) / toFloat64(d) + ${shareAhead} * ${shareAhead} * toFloat64(dd), 0)`

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
