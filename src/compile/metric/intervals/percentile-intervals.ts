import { join, numberLiteral, sql, type Sql } from '../../../base/sql.ts'
import { sumInOrder } from './agent-intervals.ts'
import { own } from '../agent-sums.ts'
import { fractionList, percentileKeys, percentileLevelsOf } from '../distribution/percentile-levels.ts'
import type { Alias } from '../local-time.ts'
import type { MetricPlan } from '../metric-plan.ts'
import { inUnit, type Step } from '../statistics.ts'
import { confidences, tOf } from './t-quantiles.ts'

/**
 * Returns true if a response has Woodruff's intervals of percentiles (95 %). They begin with the interval of the share of
 * results that are not above the percentile, and map its bounds through the percentiles of the results. They need all values
 * of each agent, which a sketch does not keep. Percentiles of normalised points have no intervals.
 */
const hasPercentileIntervals = ({ include, percentiles, normalised }: MetricPlan): boolean =>
  include.includes('uncertainty') && percentiles === 'exact' && !normalised

/** Needs the column `own_levels`, which has the values of each agent. */
export const percentileIntervalSums = (plan: MetricPlan): readonly Alias[] =>
  hasPercentileIntervals(plan)
    ? [
        { name: 'agent_values', value: sql`groupArray(${own('levels')})` },
        { name: 'result_squares', value: sql`sum(toInt256(${own('sample_count')}) * ${own('sample_count')})` },
      ]
    : []

/**
 * For one percentile, returns a list with a pair of numbers for each agent: how many of its values are not above the
 * percentile, and how many values the agent has.
 */
const below = (position: Sql): Sql =>
  sql`arrayMap((v, q) -> (arrayCount(x -> x <= q, v), length(v)), agent_values, arrayWithConstant(agent_count, levels[${position}]))`

/**
 * The jackknife variance of the share of results that are not above a percentile. `b` contains the pairs of `below`, and `c`
 * the sum of the first members of the pairs.
 */
const shareVariance = sql`(agent_count - 1) / agent_count * ${sumInOrder(
  sql`pow((toFloat64(p.1) * sample_count - toFloat64(c) * p.2) / sample_count / (sample_count - p.2), 2)`,
  sql`b`,
)}`

export function percentileIntervalSteps(plan: MetricPlan): readonly Step[] {
  if (!hasPercentileIntervals(plan)) return []
  const { positions, fractions } = percentileLevelsOf(plan)
  const shares = fractionList(fractions)
  return [
    [
      { name: 'below', value: sql`[${join(positions.map(below), ', ')}]` },
      { name: 'sorted_values', value: sql`arraySort(arrayFlatten(agent_values))` },
      {
        name: 'results_freedom',
        value: sql`greatest(1, toFloat64(toInt256(sample_count) * sample_count) / toFloat64(result_squares) - 1)`,
      },
    ],
    [
      {
        name: 'half_widths',
        value: sql`arrayMap((b, c) -> sqrt(${shareVariance}), below, arrayMap(b -> arraySum(p -> p.1, b), below))`,
      },
      { name: 't95', value: tOf(confidences.ci95, sql`results_freedom`) },
    ],
    // The bounds as shares of the results: first the lower bounds of all percentiles, then their upper bounds.
    [
      {
        name: 'bounds',
        value: sql`arrayConcat(arrayMap((p, w) -> p - t95 * w, [${shares}], half_widths), arrayMap((p, w) -> p + t95 * w, [${shares}], half_widths))`,
      },
    ],
    [{ name: 'heights', value: sql`arrayMap(b -> b * (sample_count - 1), bounds)` }],
  ]
}

/** Returns the percentile (type 7) of the results at a bound, or null if the bound is not between 0 and 1. */
function percentileAt(plan: MetricPlan, index: number): Sql {
  const position = numberLiteral(index + 1)
  const rank = sql`toUInt64(floor(heights[${position}]))`
  const lower = sql`sorted_values[${rank} + 1]`
  const upper = sql`sorted_values[least(${rank} + 2, sample_count)]`
  const value = inUnit(plan, sql`(${lower} + (heights[${position}] - ${rank}) * (${upper} - ${lower}))`)
  return sql`if(bounds[${position}] <= 0 OR bounds[${position}] >= 1, NULL, ${value})`
}

/** Returns an array with a pair of bounds for each percentile. The array is empty if the response has no intervals. */
export function percentileIntervals(plan: MetricPlan): Sql {
  const none = sql`CAST([], 'Array(Array(Nullable(Float64)))')`
  if (!hasPercentileIntervals(plan)) return none
  const keys = percentileKeys(plan)
  const pairs = keys.map((_, index) => sql`[${percentileAt(plan, index)}, ${percentileAt(plan, keys.length + index)}]`)
  return sql`if(agent_count < 2, ${none}, [${join(pairs, ', ')}])`
}
