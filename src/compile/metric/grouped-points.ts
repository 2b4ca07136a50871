import { identifier, join, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import { binOf, sketchedPercentiles } from '../rollup/sketch.ts'
import { agentAttribute } from './dimension-value.ts'
import { fractionList, percentileLevelsOf } from './distribution/percentile-levels.ts'
import { histogramSteps, histogramSums } from './distribution/histogram.ts'
import type { Alias } from './local-time.ts'
import { explainsPrefilter, groupsByAgent, hasCoverage } from '../../check/metric/point-statistics.ts'
import { coverageOfAgent, coverageOfSeries, coverageSteps, coverageSums } from './coverage.ts'
import { isKept, matchedRules, prefilterSteps, prefilterSums } from './explained-prefilter.ts'
import type { MetricPlan } from './metric-plan.ts'
import { blockAliases, normalisedSpread } from './normalise.ts'
import { jackknife } from './intervals/agent-intervals.ts'
import {
  blockSums,
  countsOf,
  ofAgent,
  ofPoint,
  own,
  percentageMoments,
  plainSums,
  type AgentSum,
} from './agent-sums.ts'
import { percentileIntervalSteps, percentileIntervalSums } from './intervals/percentile-intervals.ts'
import { plainSpread, type Spread, type Step } from './statistics.ts'
import { aliased, samples, sampleValue, withAliases } from './samples.ts'
import { weightedPercentiles, weightedValues } from './weighted-percentiles.ts'

/**
 * `points` is a statement that groups rows by keys. `spread` contains the statistics that later steps compute from its sums.
 * `afterwards` are the steps after these: they also accept groups without results.
 */
export type GroupedPoints = { readonly points: Sql; readonly spread: Spread; readonly afterwards: readonly Step[] }

/**
 * Groups results at two levels: by point and agent, then by point. If the request needs nothing that depends on agents, the
 * first level groups by point only, and the second level merges nothing.
 */
export function groupedResults(
  database: string,
  plan: MetricPlan,
  aggregation: Aggregation,
  keys: readonly Alias[],
): GroupedPoints {
  const { aliases, from } = samples(database, plan)
  const sums = [
    ...(plan.normalised ? blockSums(plan) : plainSums(plan)),
    ...percentileSums(plan),
    ...histogramSums(plan),
  ]
  const names = keys.map(({ name }) => identifier(name))
  const [explained, covered] = [explainsPrefilter(plan), hasCoverage(plan)]
  const needsBlocks = plan.normalised || covered
  const keysOfAgent = [
    ...(countsAgents(plan) ? [{ name: 'own_agent', value: sql`agent` }] : []),
    ...(explained ? [matchedRules(plan)] : []),
  ]
  const ofAgents = sql`${withAliases([...aliases, ...(needsBlocks ? blockAliases(plan.test.schedule, aggregation, plan) : [])])}
SELECT
  ${join([...keys, ...sums.map(ofAgent), ...(covered ? coverageOfAgent(aggregation) : []), ...keysOfAgent].map(aliased), ',\n  ')}
${from}
GROUP BY ${join([...names, ...keysOfAgent.map(({ name }) => identifier(name))], ', ')}`
  const { sums: ofJackknife, steps } = jackknife(plan)
  const sumsOfPoint = [
    ...sums.map(ofPoint),
    ...percentageMoments(plan),
    ...agentCounts(database, plan),
    ...ofJackknife,
    ...percentileIntervalSums(plan),
    ...(explained ? [isKept, ...prefilterSums(plan)] : []),
    ...(covered ? coverageSums(plan, aggregation) : []),
  ]
  const [, ...splits] = names
  const points = sql`SELECT
  ${join([...names, ...sumsOfPoint.map(aliased)], ',\n  ')}
FROM (
${covered ? withStep(ofAgents, coverageOfSeries(plan, aggregation, splits)) : ofAgents}
)
GROUP BY ${join([...names, ...(explained ? [identifier(isKept.name)] : [])], ', ')}`
  const spread = plan.normalised ? normalisedSpread(plan) : plainSpread(plan)
  const ownSteps = [...sideBySide(spread.steps, steps), ...percentileSteps(plan)]
  const afterwards = [
    ...histogramSteps(plan),
    ...(explained ? prefilterSteps(plan, names) : []),
    ...(covered ? coverageSteps(plan, aggregation, splits) : []),
  ]
  return { points, spread: { ...spread, steps: ownSteps }, afterwards }
}

/**
 * Each step is a nested SELECT. ClickHouse replaces an alias by its expression wherever it is used, so a long chain of aliases
 * in one SELECT would make the query huge.
 */
export const withStep = (from: Sql, step: Step): Sql => sql`SELECT *,
  ${join(step.map(aliased), ',\n  ')}
FROM (
${from}
)`

const countsAgents = (plan: MetricPlan): boolean =>
  groupsByAgent(plan) || plan.fields.includes('agentCount') || plan.fields.includes('unitCount')

function agentCounts(database: string, plan: MetricPlan): readonly Alias[] {
  if (!countsAgents(plan)) return []
  const unit = agentAttribute(database, 'unit_id', own('agent'))
  return [
    { name: 'agent_count', value: sql`count()` },
    { name: 'unit_count', value: sql`countIf(isNotNull(${unit}))` },
  ]
}

/** Merges two lists of steps: step i of the result contains step i of both lists. */
function sideBySide(some: readonly Step[], others: readonly Step[]): readonly Step[] {
  const longer = some.length > others.length ? some : others
  return longer.map((_, index) => [...(some[index] ?? []), ...(others[index] ?? [])])
}

function percentileSums(plan: MetricPlan): readonly AgentSum[] {
  if (plan.percentiles === 'none') return []
  const value = sampleValue(plan.metric.measure)
  if (plan.percentiles === 'sketch') {
    // The bins of a sketch and the numbers of blocks are counted together.
    const bin = plan.normalised ? sql`toInt64(${binOf(value)}) * 32 + block` : binOf(value)
    return [{ name: plan.normalised ? 'block_bins' : 'sketch', ofAgent: sql`groupArray(${bin})`, ofPoint: countsOf }]
  }
  if (plan.normalised) {
    return weightedValues(plan.metric.measure, value).map((values): AgentSum => ({
      name: values.name,
      ofAgent: values.value,
      ofPoint: (each) => sql`groupArrayArray(${each})`,
    }))
  }
  const levels: AgentSum = {
    name: 'levels',
    ofAgent: sql`groupArray(${value})`,
    ofPoint: (each) => sql`quantilesExactInclusiveArray(${fractionList(percentileLevelsOf(plan).all)})(${each})`,
  }
  return [levels]
}

function percentileSteps(plan: MetricPlan): readonly Step[] {
  if (plan.percentiles === 'none') return []
  if (plan.percentiles === 'sketch')
    return [...(plan.normalised ? [weightedSketch] : [everyOne]), ...sketchedPercentiles(plan)]
  if (plan.normalised) return weightedPercentiles(plan.metric.measure, percentileLevelsOf(plan).all)
  return percentileIntervalSteps(plan)
}

/** Without normalisation, every result has the weight 1. */
const everyOne: Step = [
  { name: 'weight', value: sql`toFloat64(sample_count)` },
  { name: 'effective', value: sql`toFloat64(sample_count)` },
]

/** Weights the counts of `block_bins` by the hours of their block, and adds up the blocks. */
const weightedSketch: Step = [
  {
    name: 'sketch',
    value: sql`arrayReduce('sumMap', [arrayMap(b -> toInt32(bitShiftRight(b, 5)), block_bins.1)], [arrayMap((b, c) -> c * each_hours[bitAnd(b, 31) + 1] / each_results[bitAnd(b, 31) + 1], block_bins.1, block_bins.2)])`,
  },
]
