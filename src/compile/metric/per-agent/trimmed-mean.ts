import { decimalLiteral, sql, type Sql } from '../../../base/sql.ts'
import { results, type AgentSum } from '../agent-sums.ts'
import type { MetricPlan } from '../metric-plan.ts'
import { inUnit } from '../statistics.ts'
import { blockOf, valueOf } from '../weighted-percentiles.ts'
import { weightedLevels, type OfAgent } from './agent-percentile.ts'

type Levels = { readonly low: number; readonly high: number }

/**
 * Computes the mean of the results of an agent from percentile `low` to percentile `high` (type 7) of its results, both
 * included. If an agent has only two results and they differ, no result can lie between the two percentiles, and the agent
 * then has no trimmed mean.
 */
export function trimmedMean(plan: MetricPlan, levels: Levels): OfAgent {
  return plan.normalised ? weightedMean(plan, levels) : plainMean(plan, levels)
}

const position = (level: number): Sql => sql`((sample_count - 1) * ${decimalLiteral(level)} / 100)`

/**
 * The statement need not compute the percentiles. The smallest value that is not below a percentile of type 7 is the value at
 * the next whole position. So no rounding error decides whether a value is kept.
 */
function plainMean(plan: MetricPlan, { low, high }: Levels): OfAgent {
  const values: AgentSum = { name: 'values', ofAgent: sql`groupArray(number)`, ofPoint: (each) => each }
  return {
    sums: [results, values],
    steps: [
      [{ name: 'sorted', value: sql`arraySort(values)` }],
      [
        { name: 'lowest', value: sql`sorted[toUInt64(ceil(${position(low)})) + 1]` },
        { name: 'highest', value: sql`sorted[toUInt64(floor(${position(high)})) + 1]` },
      ],
      [{ name: 'trimmed', value: sql`arrayFilter(x -> x >= lowest AND x <= highest, sorted)` }],
    ],
    value: inUnit(plan, sql`(toFloat64(arrayReduce('sum', arrayMap(x -> toInt128(x), trimmed))) / length(trimmed))`),
    exists: sql`notEmpty(trimmed)`,
  }
}

/**
 * The bounds are moved by this number, because weighted percentiles are rounded. Values are whole numbers, and the number is
 * smaller than the distance between two different values.
 */
const rounding = sql`1e-12 * greatest(abs(toFloat64(least)), abs(toFloat64(greatest)))`

/** Each result keeps the weight that it has among all results of the agent. */
function weightedMean(plan: MetricPlan, { low, high }: Levels): OfAgent {
  const { sums, steps } = weightedLevels(plan, [low, high])
  return {
    sums,
    steps: [
      ...steps,
      [
        { name: 'lowest', value: sql`levels[1] - ${rounding}` },
        { name: 'highest', value: sql`levels[2] + ${rounding}` },
      ],
      [
        {
          name: 'trimmed',
          value: sql`arrayFilter(s -> ${valueOf(sql`s`)} >= lowest AND ${valueOf(sql`s`)} <= highest, sorted)`,
        },
      ],
      [{ name: 'trimmed_weights', value: sql`arrayMap(s -> block_weights[${blockOf(sql`s`)} + 1], trimmed)` }],
    ],
    value: inUnit(
      plan,
      sql`(toFloat64(least) + arraySum((s, w) -> w * (${valueOf(sql`s`)} - toFloat64(least)), trimmed, trimmed_weights) / arraySum(trimmed_weights))`,
    ),
    exists: sql`notEmpty(trimmed)`,
  }
}
