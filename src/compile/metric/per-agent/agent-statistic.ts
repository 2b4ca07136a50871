import { bind, join, numberLiteral, sql, type Sql } from '../../../base/sql.ts'
import type { Aggregation } from '../../../catalog/aggregations.ts'
import type { PerAgent, Threshold } from '../../../check/metric/per-agent.ts'
import {
  blockSums,
  ofAgent,
  ofPointOfAgent,
  own,
  percentageMoments,
  plainSums,
  results,
  type AgentSum,
} from '../agent-sums.ts'
import { withStep } from '../grouped-points.ts'
import { outcomesOfAgent } from '../intervals/agent-intervals.ts'
import type { Alias } from '../local-time.ts'
import type { MetricPlan } from '../metric-plan.ts'
import { blockAliases, normalisedSpread, weight } from '../normalise.ts'
import { aliased, samples, withAliases } from '../samples.ts'
import { inUnit, plainSpread } from '../statistics.ts'
import { percentile, type OfAgent } from './agent-percentile.ts'
import { trimmedMean } from './trimmed-mean.ts'

/**
 * Returns a statement that gives one row for each point and agent. Its columns are the keys, `own_agent`, `own_results` (the
 * number of results), `own_value` (the statistic), and `own_counts` (true if the agent counts in the point). The statement
 * computes a row in the same way as a point with the results of one agent. So the weights of a normalised request come from
 * the agent's own results.
 */
export function agentStatistics(
  database: string,
  plan: MetricPlan,
  perAgent: PerAgent,
  aggregation: Aggregation,
  keys: readonly Alias[],
): Sql {
  const { aliases, from } = samples(database, plan)
  const { sums, steps, value, exists } = statisticOf(plan, perAgent)
  const names = [...keys.map(({ name }) => sql`${own(name)}`), own('agent')]
  const blocks = plan.normalised ? blockAliases(plan.test.schedule, aggregation, plan) : []
  const grouped = sql`${withAliases([...aliases, ...blocks])}
SELECT
  ${join([...keys.map(asOwn), { name: 'own_agent', value: sql`agent` }, ...sums.map(ofAgent)].map(aliased), ',\n  ')}
${from}
GROUP BY ${join(names, ', ')}`
  const points = sql`SELECT
  ${join([...names, ...[...sums.map(ofPointOfAgent), ...percentageMoments(plan), ...outcomes(plan)].map(aliased)], ',\n  ')}
FROM (
${grouped}
)`
  const enough = sql`sample_count >= ${bind('UInt32', perAgent.minimumResults)}`
  const columns: readonly Alias[] = [
    { name: 'own_results', value: sql`sample_count` },
    { name: 'own_value', value },
    { name: 'own_counts', value: exists === undefined ? enough : sql`${enough} AND ${exists}` },
  ]
  return withStep(steps.reduce(withStep, points), columns)
}

const asOwn = ({ name, value }: Alias): Alias => ({ name: `own_${name}`, value })

function outcomes(plan: MetricPlan): readonly Alias[] {
  if (plan.metric.measure.kind === 'value') return []
  const { fails, passes } = outcomesOfAgent(plan)
  return [
    { name: 'own_fails', value: fails },
    { name: 'own_passes', value: passes },
  ]
}

function statisticOf(plan: MetricPlan, perAgent: PerAgent): OfAgent {
  if (perAgent.statistic === 'mean') return mean(plan)
  if (perAgent.statistic === 'min') return extreme(plan, sql`least`)
  if (perAgent.statistic === 'max') return extreme(plan, sql`greatest`)
  if (perAgent.statistic === 'share') return share(plan, perAgent.threshold)
  if (perAgent.statistic === 'trimmedMean') return trimmedMean(plan, perAgent)
  return percentile(plan, perAgent.statistic === 'median' ? 50 : perAgent.level)
}

function mean(plan: MetricPlan): OfAgent {
  const { steps, metricValue } = plan.normalised ? normalisedSpread(plan) : plainSpread(plan)
  return { sums: plan.normalised ? blockSums(plan) : plainSums(plan), steps, value: metricValue }
}

const extreme = (plan: MetricPlan, column: Sql): OfAgent => ({
  sums: plainSums(plan),
  steps: [],
  value: inUnit(plan, sql`toFloat64(${column})`),
})

/** Returns the condition that a value reaches a threshold. */
export function reaches(value: Sql, { is, value: bound }: Threshold): Sql {
  const threshold = bind('Float64', bound)
  if (is === 'atLeast') return sql`${value} >= ${threshold}`
  return is === 'above' ? sql`${value} > ${threshold}` : sql`${value} < ${threshold}`
}

const unchanged = (each: Sql): Sql => each

function share(plan: MetricPlan, threshold: Threshold): OfAgent {
  const isHit = reaches(inUnit(plan, sql`toFloat64(number)`), threshold)
  if (!plan.normalised) {
    const hits: AgentSum = { name: 'hits', ofAgent: sql`countIf(${isHit})`, ofPoint: unchanged }
    return { sums: [results, hits], steps: [], value: sql`100 * hits / sample_count` }
  }
  const blocks = numberLiteral(plan.test.schedule.length - 1)
  const hits: AgentSum = {
    name: 'each_hits',
    ofAgent: sql`sumResample(0, ${blocks}, 1)(toUInt64(${isHit}), block)`,
    ofPoint: unchanged,
  }
  return {
    sums: [...blockSums(plan), hits],
    steps: [[weight]],
    value: sql`100 * arraySum((h, n, k) -> h * (k / n), each_hours, each_results, each_hits) / weight`,
  }
}
