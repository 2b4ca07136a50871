import { sql, type Sql } from '../../base/sql.ts'
import type { Alias } from './local-time.ts'
import type { MetricPlan } from './metric-plan.ts'

/** The percentiles of an answer, always all eleven. */
export const percentileKeys = ['1', '5', '10', '20', '25', '50', '75', '80', '90', '95', '99'] as const
export const percentileLevels = sql`0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99`
export const percentilePositions = [
  sql`1`,
  sql`2`,
  sql`3`,
  sql`4`,
  sql`5`,
  sql`6`,
  sql`7`,
  sql`8`,
  sql`9`,
  sql`10`,
  sql`11`,
] as const

/** Half-widths of a confidence interval of a mean, in standard errors. */
const intervals = [
  { name: 'ci90', z: sql`1.6448536269514722` },
  { name: 'ci95', z: sql`1.959963984540054` },
  { name: 'ci99', z: sql`2.5758293035489004` },
] as const

/** Names that are worked out together, from names that are there already. */
export type Step = readonly Alias[]

/** Centre and spread of a point, over the names of its sums. */
export type Spread = {
  /** Steps on the way, each over the names of those before. */
  readonly steps: readonly Step[]
  readonly metricValue: Sql
  readonly deviation: Sql
  readonly standardError: Sql
}

/** A number of the stored column, or a statistic of such numbers, in the metric's unit. */
export function inUnit({ metric: { measure } }: MetricPlan, value: Sql): Sql {
  return measure.kind === 'value' ? measure.inUnit(value) : value
}

/** The statistics of a point, in the order of the answer. Its sums must be there under their names, and `levels`. */
export function statisticColumns(
  plan: MetricPlan,
  { metricValue, deviation, standardError }: Spread,
): readonly Alias[] {
  return [
    { name: 'metricValue', value: metricValue },
    { name: 'stdDev', value: deviation },
    { name: 'sampleCount', value: sql`sample_count` },
    { name: 'agentCount', value: sql`agent_count` },
    { name: 'unitCount', value: sql`unit_count` },
    // One result says nothing about how far results spread.
    ...intervals.map(({ name, z }) => ({ name, value: sql`if(sample_count < 2, NULL, ${z} * ${standardError})` })),
    { name: 'min', value: inUnit(plan, sql`toFloat64(least)`) },
    { name: 'max', value: inUnit(plan, sql`toFloat64(greatest)`) },
    ...(plan.percentiles === 'none' ? [] : percentileColumns(plan)),
  ]
}

const percentileColumns = (plan: MetricPlan): readonly Alias[] => [
  { name: 'median', value: inUnit(plan, sql`levels[6]`) },
  { name: 'percentiles', value: sql`arrayMap(level -> ${inUnit(plan, sql`level`)}, levels)` },
]

/** n·Σx² − (Σx)² of whole numbers is exact: nothing cancels out for values near 1e9 that differ by 1. */
function ofValues(plan: MetricPlan): Spread {
  const deviation = inUnit(
    plan,
    sql`sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count`,
  )
  return {
    steps: [],
    metricValue: inUnit(plan, sql`toFloat64(total) / sample_count`),
    deviation,
    standardError: sql`${deviation} / sqrt(sample_count)`,
  }
}

const ofRatios: Spread = {
  steps: [
    [
      // Σ(a − R·d)² with R = Σa / Σd, times (Σd)²: in whole numbers for the same reason.
      {
        name: 'residuals',
        value: sql`toInt256(denominators) * denominators * numerator_squares - 2 * toInt256(numerators) * denominators * products + toInt256(numerators) * numerators * denominator_squares`,
      },
    ],
  ],
  metricValue: sql`100 * toFloat64(numerators) / toFloat64(denominators)`,
  deviation: sql`sqrt(variance)`,
  standardError: sql`100 * sqrt(toFloat64(residuals)) / toFloat64(denominators) / toFloat64(denominators)`,
}

/** Every result counts once. */
export const plainSpread = (plan: MetricPlan): Spread =>
  plan.metric.measure.kind === 'value' ? ofValues(plan) : ofRatios

/** Sums over rows. Of whole numbers, in types that cannot overflow, so that what is made of them is exact. */
export function rowSums({ metric: { measure } }: MetricPlan): readonly Alias[] {
  if (measure.kind === 'value') {
    return [
      { name: 'total', value: sql`sum(toInt128(number))` },
      { name: 'squares', value: sql`sum(toInt256(toInt128(number) * number))` },
      { name: 'least', value: sql`min(number)` },
      { name: 'greatest', value: sql`max(number)` },
    ]
  }
  return [
    { name: 'numerators', value: sql`sum(toInt128(numerator))` },
    { name: 'denominators', value: sql`sum(toInt128(denominator))` },
    { name: 'numerator_squares', value: sql`sum(toInt256(toInt128(numerator) * numerator))` },
    { name: 'products', value: sql`sum(toInt256(toInt128(numerator) * denominator))` },
    { name: 'denominator_squares', value: sql`sum(toInt256(toInt128(denominator) * denominator))` },
    { name: 'mean', value: sql`avg(percentage)` },
    { name: 'variance', value: sql`varPopStable(percentage)` },
    { name: 'least', value: sql`min(percentage)` },
    { name: 'greatest', value: sql`max(percentage)` },
  ]
}
