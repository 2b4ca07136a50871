import { bind, join, numberLiteral, sql, type Sql } from '../../../base/sql.ts'
import type { Aggregation } from '../../../catalog/aggregations.ts'
import type { PerAgent } from '../../../check/metric/per-agent.ts'
import { own } from '../agent-sums.ts'
import { agentAttribute } from '../dimension-value.ts'
import { agentHistogramSums, histogramSteps } from '../distribution/histogram.ts'
import { fractionList, percentileKeys, percentileLevelsOf } from '../distribution/percentile-levels.ts'
import type { Alias } from '../local-time.ts'
import type { MetricPlan } from '../metric-plan.ts'
import { aliased } from '../samples.ts'
import type { Step } from '../statistics.ts'
import { confidences } from '../intervals/t-quantiles.ts'
import { agentStatistics, reaches } from './agent-statistic.ts'

/**
 * Computes points about agents. `points` adds up the statistics of the agents of each point, and `steps` compute the columns
 * from these sums.
 */
export function agentPoints(
  database: string,
  plan: MetricPlan,
  perAgent: PerAgent,
  aggregation: Aggregation,
  keys: readonly Alias[],
): { readonly points: Sql; readonly steps: readonly Step[] } {
  const unit = agentAttribute(database, 'unit_id', own('agent'))
  const sums: readonly Alias[] = [
    ...keys.map(({ name }) => ({ name, value: own(name) })),
    { name: 'agent_count', value: sql`countIf(own_counts)` },
    { name: 'agents_below', value: sql`countIf(NOT own_counts)` },
    { name: 'unit_count', value: sql`countIf(own_counts AND isNotNull(${unit}))` },
    { name: 'sample_count', value: sql`sumIf(own_results, own_counts)` },
    // The values are sorted, because the last digit of a floating-point sum depends on the order of the terms.
    { name: 'agent_values', value: sql`arraySort(groupArrayIf(own_value, own_counts))` },
    ...(plan.compare === undefined
      ? []
      : [{ name: 'pairs', value: sql`arraySort(p -> p.2, groupArrayIf((own_value, own_agent), own_counts))` }]),
    ...(plan.relativeTo === undefined ? [] : [{ name: 'all_results', value: sql`sum(own_results)` }]),
    ...(plan.reaching === undefined
      ? []
      : [{ name: 'agents_reaching', value: sql`countIf(own_counts AND ${reaches(own('value'), plan.reaching)})` }]),
    ...agentHistogramSums(plan, own('value'), own('counts')),
    ...(plan.metric.measure.kind === 'value'
      ? []
      : [
          { name: 'failing_agents', value: sql`countIf(own_counts AND own_fails)` },
          { name: 'passing_agents', value: sql`countIf(own_counts AND own_passes)` },
        ]),
  ]
  const points = sql`SELECT
  ${join(sums.map(aliased), ',\n  ')}
FROM (
${agentStatistics(database, plan, perAgent, aggregation, keys)}
)
GROUP BY ${join(
    keys.map(({ name }) => own(name)),
    ', ',
  )}`
  return { points, steps: stepsOf(plan) }
}

/** The mean is computed relative to the smallest value. So if all agents have the same value, the deviation is exactly 0. */
function stepsOf(plan: MetricPlan): readonly Step[] {
  const { all, fractions } = percentileLevelsOf(plan)
  return [
    [
      { name: 'least', value: sql`agent_values[1]` },
      { name: 'greatest', value: sql`agent_values[-1]` },
      { name: 'effective_agents', value: sql`toFloat64(agent_count)` },
      { name: 'freedom', value: sql`greatest(1, toFloat64(agent_count) - 1)` },
      ...(plan.percentiles === 'none'
        ? []
        : [
            { name: 'levels', value: sql`arrayReduce('quantilesExactInclusive(${fractionList(all)})', agent_values)` },
            ...(hasRanks(plan) ? [{ name: 'near_ranks', value: nearRanks(fractions) }] : []),
          ]),
    ],
    [{ name: 'mean', value: sql`least + arraySum(v -> v - least, agent_values) / agent_count` }],
    [{ name: 'squares', value: squaresOf(plan) }],
    ...histogramSteps(plan),
  ]
}

/**
 * Returns the sum of the squared deviations from the mean. Normalised statistics are rounded: if the values differ by less
 * than their rounding error, the sum is 0.
 */
function squaresOf({ normalised }: MetricPlan): Sql {
  const squares = sql`arraySum(v -> pow(v - mean, 2), agent_values)`
  if (!normalised) return squares
  return sql`if(greatest - least < 1e-12 * greatest(abs(greatest), abs(least)), 0, ${squares})`
}

/** True if the response has exact intervals of percentiles, which the service computes. */
export const hasRanks = ({ include, percentiles }: MetricPlan): boolean =>
  include.includes('uncertainty') && percentiles !== 'none'

const { z } = confidences.ci95
const sides = [
  { z: -z, offset: 0 },
  { z, offset: 1 },
]

/**
 * Returns one rank for each lower bound of the percentiles, then one rank for each upper bound. The exact rank of a bound is
 * the returned rank or one of the two ranks after it. The returned rank is the normal approximation of the binomial quantile,
 * corrected for skewness (Abramowitz and Stegun, 26.2.49). `envelope/` computes the exact rank, because ClickHouse has no
 * function for it.
 */
export const nearRanks = (fractions: readonly number[]): Sql =>
  sql`arrayConcat(${join(
    sides.map(({ z: quantile, offset }) => {
      const deviation = sql`${bind('Float64', quantile)} * sqrt(agent_count * p * (1 - p))`
      const skewness = sql`${bind('Float64', (quantile ** 2 - 1) / 6)} * (1 - 2 * p)`
      return sql`arrayMap(p -> greatest(toInt64(ceil(agent_count * p + ${deviation} + ${skewness} - 0.5)) + ${numberLiteral(offset - 1)}, 1), [${fractionList(fractions)}])`
    }),
    ', ',
  )})`

/**
 * Returns one list for each bound: the rank that `nearRanks` returns, and the values of the agents at this rank and the two
 * ranks after it.
 */
export const valuesNearRanks = (plan: MetricPlan): Sql =>
  sql`[${join(
    sides
      .flatMap(() => percentileKeys(plan))
      .map((_, index) => {
        const rank = sql`near_ranks[${numberLiteral(index + 1)}]`
        return sql`arrayPushFront(arraySlice(agent_values, ${rank}, 3), toFloat64(${rank}))`
      }),
    ', ',
  )}]`
