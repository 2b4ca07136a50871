import { numberLiteral, sql, type Sql } from '../../../base/sql.ts'
import type { PointField } from '../../../catalog/point-fields.ts'
import { needsEachAgent } from '../../../check/metric/point-statistics.ts'
import { histogramColumns } from '../distribution/histogram.ts'
import { percentileLevelsOf, shownLevels } from '../distribution/percentile-levels.ts'
import { caution, ofAgents, unlessExtreme } from '../intervals/agent-intervals.ts'
import { confidences, tOf, type Confidence } from '../intervals/t-quantiles.ts'
import type { Alias } from '../local-time.ts'
import type { MetricPlan } from '../metric-plan.ts'
import { planColumns } from '../relative-to-plan.ts'
import { nullWhere } from '../statistics.ts'
import { hasRanks, valuesNearRanks } from './agent-points.ts'

/**
 * The columns from which the service computes exact intervals. `agents`: the number of agents. `values`: the values near each
 * bound of the percentiles' intervals.
 */
export const exactColumns = { agents: 'exactAgents', values: 'exactValues' } as const

/** The columns of points about agents, in the order of the response. */
export function agentColumns(plan: MetricPlan): readonly Alias[] {
  const statistics = statisticsOf(plan)
  const isExact = plan.reaching !== undefined || hasRanks(plan)
  return [
    ...plan.fields.map((name) => ({ name, value: statistics[name] })),
    ...(plan.include.includes('uncertainty') ? uncertaintyColumns : []),
    ...histogramColumns(plan),
    ...(hasRanks(plan) ? [{ name: exactColumns.values, value: valuesNearRanks(plan) }] : []),
    ...(plan.reaching === undefined ? [] : [{ name: 'reachingAgents', value: sql`agents_reaching` }]),
    ...(isExact ? [{ name: exactColumns.agents, value: sql`agent_count` }] : []),
    { name: 'agentsBelowMinimum', value: sql`agents_below` },
    ...planColumns(plan),
    ...(needsEachAgent(plan)
      ? [{ name: 'caution', value: sql`if(agent_count = 0, emptyArrayString(), ${caution(plan)})` }]
      : []),
  ]
}

/** Returns null for a point in which no agent has enough results. */
const ifAny = (number: Sql): Sql => nullWhere(sql`agent_count = 0`, number)

/** The variance of the mean over agents: s² / m. */
const variance = sql`(squares / (agent_count - 1) / agent_count)`

function halfWidth({ metric: { measure } }: MetricPlan, confidence: Confidence): Sql {
  const width = sql`${tOf(confidence, sql`freedom`)} * sqrt(${variance})`
  return ofAgents(measure.kind === 'value' ? width : unlessExtreme(sql`squares`, confidence, width))
}

function statisticsOf(plan: MetricPlan): Readonly<Record<PointField, Sql>> {
  const levels = percentileLevelsOf(plan)
  return {
    metricValue: ifAny(sql`mean`),
    stdDev: ifAny(sql`sqrt(squares / agent_count)`),
    sampleCount: sql`sample_count`,
    agentCount: sql`agent_count`,
    unitCount: sql`unit_count`,
    ci90: halfWidth(plan, confidences.ci90),
    ci95: halfWidth(plan, confidences.ci95),
    ci99: halfWidth(plan, confidences.ci99),
    min: ifAny(sql`least`),
    max: ifAny(sql`greatest`),
    median: ifAny(sql`levels[${levels.medianPosition}]`),
    percentiles: sql`if(agent_count = 0, arrayWithConstant(${numberLiteral(levels.keys.length)}, NULL), ${shownLevels(levels)})`,
  }
}

/** Every agent has the same weight, so these columns leave out the members about the weights of agents and about results. */
const uncertaintyColumns: readonly Alias[] = [
  { name: 'standardError', value: ofAgents(sql`sqrt(${variance})`) },
  { name: 'effectiveAgents', value: sql`effective_agents` },
  { name: 'degreesOfFreedom', value: ofAgents(sql`freedom`) },
]
