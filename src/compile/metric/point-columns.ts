import { bind, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import type { PointField } from '../../catalog/point-fields.ts'
import { agentError, agentHalfWidth, caution, ofAgents } from './intervals/agent-intervals.ts'
import { coverageColumns } from './coverage.ts'
import { hasResults } from './series/empty-buckets.ts'
import { prefilterColumns } from './explained-prefilter.ts'
import { emptyHistogram, histogramColumns } from './distribution/histogram.ts'
import { percentileKeys, percentileLevelsOf, shownLevels } from './distribution/percentile-levels.ts'
import type { Alias } from './local-time.ts'
import { explainsPrefilter, hasCoverage, needsEachAgent } from '../../check/metric/point-statistics.ts'
import type { MetricPlan } from './metric-plan.ts'
import { planColumns } from './relative-to-plan.ts'
import { percentileIntervals } from './intervals/percentile-intervals.ts'
import { inUnit, nullWhere, type Spread } from './statistics.ts'
import { confidences, type Confidence } from './intervals/t-quantiles.ts'

/**
 * Returns the statistics that the request asks for, in the order of the response. The point must have the columns of
 * `groupedResults`.
 */
export function statisticColumns(plan: MetricPlan, aggregation: Aggregation, spread: Spread): readonly Alias[] {
  const statistics = statisticsOf(plan, spread)
  const columns = [
    ...plan.fields.map((name) => ({ name, value: statistics[name] })),
    ...(plan.include.includes('uncertainty') ? uncertaintyColumns(plan, spread) : []),
    ...histogramColumns(plan),
    ...(needsEachAgent(plan) && plan.intervals === 'agents' ? [{ name: 'caution', value: caution(plan) }] : []),
  ]
  return [
    ...columns.map((one) => ifAny(plan, one)),
    ...(explainsPrefilter(plan) ? prefilterColumns : []),
    ...(hasCoverage(plan) ? coverageColumns(plan, aggregation) : []),
    ...planColumns(plan),
  ]
}

/** If no row of a point counts, the point has counts of 0 and no other statistics. */
function ifAny(plan: MetricPlan, { name, value }: Alias): Alias {
  const isAny = hasResults(plan)
  if (isAny === null) return { name, value }
  const otherwise = ofNoResults(plan)[name]
  if (otherwise === undefined) return { name, value: nullWhere(sql`NOT ${isAny}`, value) }
  return { name, value: sql`if(${isAny}, ${value}, ${otherwise})` }
}

const ofNoResults = (plan: MetricPlan): Readonly<Record<string, Sql>> => ({
  sampleCount: sql`0`,
  agentCount: sql`0`,
  unitCount: sql`0`,
  percentiles: sql`arrayWithConstant(${numberLiteral(percentileKeys(plan).length)}, NULL)`,
  percentileIntervals: sql`[]`,
  caution: sql`[]`,
  ...emptyHistogram(plan),
})

function statisticsOf(
  plan: MetricPlan,
  { metricValue, deviation, standardError }: Spread,
): Readonly<Record<PointField, Sql>> {
  const levels = percentileLevelsOf(plan)
  const halfWidth = (confidence: Confidence): Sql =>
    plan.intervals === 'agents' ? agentHalfWidth(plan, confidence) : resultsHalfWidth(standardError, confidence)
  return {
    metricValue,
    stdDev: deviation,
    sampleCount: sql`sample_count`,
    agentCount: sql`agent_count`,
    unitCount: sql`unit_count`,
    ci90: halfWidth(confidences.ci90),
    ci95: halfWidth(confidences.ci95),
    ci99: halfWidth(confidences.ci99),
    min: inUnit(plan, sql`toFloat64(least)`),
    max: inUnit(plan, sql`toFloat64(greatest)`),
    median: inUnit(plan, sql`levels[${levels.medianPosition}]`),
    percentiles: sql`arrayMap(level -> ${inUnit(plan, sql`level`)}, ${shownLevels(levels)})`,
  }
}

/**
 * Returns the half-width of an interval that treats all results as independent. A point with a single result has no
 * half-width.
 */
const resultsHalfWidth = (standardError: Sql, { z }: Confidence): Sql =>
  nullWhere(sql`sample_count < 2`, sql`${bind('Float64', z)} * ${standardError}`)

/** Returns the columns that `include: ["uncertainty"]` adds to a point. */
function uncertaintyColumns(plan: MetricPlan, { standardError }: Spread): readonly Alias[] {
  const effect = sql`pow(${agentError(plan)} / nullIf(${standardError}, 0), 2)`
  return [
    { name: 'standardError', value: ofAgents(agentError(plan)) },
    { name: 'effectiveAgents', value: sql`effective_agents` },
    { name: 'degreesOfFreedom', value: ofAgents(sql`freedom`) },
    { name: 'largestAgentShare', value: sql`largest_share` },
    { name: 'designEffect', value: ofAgents(effect) },
    { name: 'effectiveSampleSize', value: ofAgents(sql`sample_count / nullIf(${effect}, 0)`) },
    ...(plan.percentiles === 'none' ? [] : [{ name: 'percentileIntervals', value: percentileIntervals(plan) }]),
  ]
}
