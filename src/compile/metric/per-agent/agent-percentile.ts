import { decimalLiteral, sql, type Sql } from '../../../base/sql.ts'
import { blockSums, results, type AgentSum } from '../agent-sums.ts'
import { fractionOf } from '../distribution/percentile-levels.ts'
import type { MetricPlan } from '../metric-plan.ts'
import { effective, weight } from '../normalise.ts'
import { sampleValue } from '../samples.ts'
import { inUnit, type Step } from '../statistics.ts'
import { weightedPercentiles, weightedValues } from '../weighted-percentiles.ts'

/** The expressions that compute the statistic of one agent from its results in a point. */
export type OfAgent = {
  readonly sums: readonly AgentSum[]
  readonly steps: readonly Step[]
  /** In the unit of the point. */
  readonly value: Sql
  /** True if the agent has the statistic. If `exists` is absent, every agent has the statistic. */
  readonly exists?: Sql
}

/** Computes a percentile (type 7) of the results of one agent. */
export function percentile(plan: MetricPlan, level: number): OfAgent {
  if (plan.normalised) {
    const weighted = weightedLevels(plan, [level])
    return { ...weighted, value: inUnit(plan, sql`levels[1]`) }
  }
  const found: AgentSum = {
    name: 'found',
    ofAgent: sql`quantileExactInclusive(${decimalLiteral(fractionOf(level))})(${sampleValue(plan.metric.measure)})`,
    ofPoint: (each) => each,
  }
  return { sums: [results, found], steps: [], value: inUnit(plan, sql`toFloat64(found)`) }
}

/** Computes weighted percentiles of the results of one agent, as the array `levels`. */
export function weightedLevels(plan: MetricPlan, levels: readonly number[]): Pick<OfAgent, 'sums' | 'steps'> {
  const { measure } = plan.metric
  const values = weightedValues(measure, sampleValue(measure)).map((one): AgentSum => ({
    name: one.name,
    ofAgent: one.value,
    ofPoint: (each) => each,
  }))
  return {
    sums: [...blockSums(plan), ...values],
    steps: [[weight], [effective], ...weightedPercentiles(measure, levels.map(fractionOf))],
  }
}
