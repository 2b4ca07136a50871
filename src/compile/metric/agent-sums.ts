import { identifier, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import type { Alias } from './local-time.ts'
import type { MetricPlan } from './metric-plan.ts'
import { squareOfNumber } from './samples.ts'

/**
 * One aggregate at the two levels of a statement: `ofAgent` aggregates the results of one agent in one point, and `ofPoint`
 * aggregates the agents of the point. Sums are over whole numbers, in types that cannot overflow, so they are exact in any
 * order of addition.
 */
export type AgentSum = {
  readonly name: string
  readonly ofAgent: Sql
  /** Computes the value of the point from the column that contains the value of each agent. */
  readonly ofPoint: (own: Sql) => Sql
}

type Merge = AgentSum['ofPoint']

/** Counts how often each value occurs in the arrays. */
export const countsOf: Merge = (arrays) => sql`sumMap(${arrays}, arrayWithConstant(length(${arrays}), toUInt64(1)))`

const sumOf: Merge = (each) => sql`sum(${each})`
const sumOfBlocks: Merge = (each) => sql`sumForEach(${each})`
const atLeastOne: Merge = (each) => sql`arrayMap(n -> greatest(n, 1), ${sumOfBlocks(each)})`

/** Returns the column of the first level that contains the value of one agent. */
export const own = (name: string): Sql => identifier(`own_${name}`)

export const ofAgent = ({ name, ofAgent: value }: AgentSum): Alias => ({ name: `own_${name}`, value })
export const ofPoint = ({ name, ofPoint: merge }: AgentSum): Alias => ({ name, value: merge(own(name)) })

/** Returns the value of a point that contains the results of only one agent. */
export const ofPointOfAgent = ({ name, ofPoint: merge }: AgentSum): Alias => ({
  name,
  value: merge === atLeastOne ? sql`arrayMap(n -> greatest(n, 1), ${own(name)})` : own(name),
})

/** Percentages are summed in units of 1e-12 %, as whole numbers, so that equal percentages have a deviation of exactly zero. */
const percentage = sql`toInt128(round(percentage * 1e12))`

const ofRatios: Readonly<Record<string, Sql>> = {
  numerators: sql`toInt128(numerator)`,
  denominators: sql`toInt128(denominator)`,
  numerator_squares: sql`toInt256(toInt128(numerator) * numerator)`,
  products: sql`toInt256(toInt128(numerator) * denominator)`,
  denominator_squares: sql`toInt256(toInt128(denominator) * denominator)`,
  percentages: percentage,
  percentage_squares: sql`toInt256(${percentage}) * ${percentage}`,
}

const summedOf = ({ metric: { measure } }: MetricPlan): [string, Sql][] =>
  Object.entries(
    measure.kind === 'ratio' ? ofRatios : { total: sql`toInt128(number)`, squares: squareOfNumber(measure) },
  )

export const results: AgentSum = { name: 'sample_count', ofAgent: sql`count()`, ofPoint: sumOf }

function extremes({ metric: { measure } }: MetricPlan): readonly AgentSum[] {
  const value = measure.kind === 'value' ? sql`number` : sql`percentage`
  return [
    { name: 'least', ofAgent: sql`min(${value})`, ofPoint: (each) => sql`min(${each})` },
    { name: 'greatest', ofAgent: sql`max(${value})`, ofPoint: (each) => sql`max(${each})` },
  ]
}

/** Returns the sums from which later steps compute the statistics of a point without normalisation. */
export const plainSums = (plan: MetricPlan): readonly AgentSum[] => [
  results,
  ...extremes(plan),
  ...summedOf(plan).map(([name, value]): AgentSum => ({ name, ofAgent: sql`sum(${value})`, ofPoint: sumOf })),
]

/**
 * Returns the sums of each schedule block, as arrays. The index in an array is the number of the block plus 1. One more level
 * of grouping, by block, would take several times as long. If a block has no results, its hours are 0, and its number of
 * results and its denominator are 1. So the block has no weight, and no expression divides by zero.
 */
export function blockSums(plan: MetricPlan): readonly AgentSum[] {
  const blocks = numberLiteral(plan.test.schedule.length - 1)
  return [
    results,
    ...extremes(plan),
    {
      name: 'each_hours',
      ofAgent: sql`maxResample(0, ${blocks}, 1)(block_hours, block)`,
      ofPoint: (each) => sql`maxForEach(${each})`,
    },
    { name: 'each_results', ofAgent: sql`countResample(0, ${blocks}, 1)(block)`, ofPoint: atLeastOne },
    ...summedOf(plan).map(([name, value]): AgentSum => ({
      name: `each_${name}`,
      ofAgent: sql`sumResample(0, ${blocks}, 1)(${value}, block)`,
      ofPoint: name === 'denominators' ? atLeastOne : sumOfBlocks,
    })),
  ]
}

/** Mean and variance of the percentages of single results, from the sums of a point or of each block. */
export function percentageMoments(plan: MetricPlan): readonly Alias[] {
  if (plan.metric.measure.kind === 'value') return []
  const variance = sql`toFloat64(toInt256(n) * q - toInt256(p) * p) / n / n / 1e24`
  if (!plan.normalised) {
    const ofSums = sql`toFloat64(toInt256(sample_count) * percentage_squares - toInt256(percentages) * percentages)`
    return [{ name: 'variance', value: sql`${ofSums} / sample_count / sample_count / 1e24` }]
  }
  return [
    {
      name: 'each_mean',
      value: sql`arrayMap((p, n) -> toFloat64(p) / n / 1e12, each_percentages, each_results)`,
    },
    {
      name: 'each_variance',
      value: sql`arrayMap((p, q, n) -> ${variance}, each_percentages, each_percentage_squares, each_results)`,
    },
  ]
}
