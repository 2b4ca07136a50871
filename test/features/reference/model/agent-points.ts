import { binomialQuantile, shareLimits } from './binomial.ts'
import type { Hours } from './buckets.ts'
import { histogramOf } from './distribution/histogram.ts'
import type { Agent } from './facts.ts'
import type { Metric } from './metrics.ts'
import { levelsOf, percentile, weightedPercentiles } from './percentiles.ts'
import { pointFields, scale, type MetricRequest, type PerAgent, type Point, type PointField } from './request.ts'
import type { Rules } from './rules.ts'
import type { Sample } from './select.ts'
import { sum, weightedMean } from './sums.ts'
import { isWanted } from './statistics.ts'
import { tQuantile } from './t-quantiles.ts'
import { weightsOf, type Weight } from './weights.ts'

const tail = 0.025
const fewAgents = 30
const fewOutcomes = 50
/** Values that are equal but for rounding: a weighted percentile and the value that it is. */
const rounding = 1e-12

/** What is computed of each agent before the agents are combined, or undefined if points are about results. */
export const perAgentOf = ({ perAgent, agent_agg: isMean }: MetricRequest): PerAgent | undefined =>
  perAgent ?? (isMean === true ? { statistic: 'mean' } : undefined)

export const isAboutAgents = (request: MetricRequest): boolean => perAgentOf(request) !== undefined

type AgentValue = { agent: Agent; own: readonly Sample[]; value: number | null }

/** The value of each agent, and the agents that count. */
export function agentValues(
  samples: readonly Sample[],
  metric: Metric,
  request: MetricRequest,
  bucket: Hours,
  rules: Rules,
): { agents: AgentValue[]; counted: AgentValue[] } {
  const perAgent = perAgentOf(request) ?? { statistic: 'mean' }
  const pooled = request.normalised ? weightsOf(samples, metric.blocks, bucket, request, rules) : null
  const weights = new Map(samples.map((sample, index) => [sample, pooled?.[index]]))
  const agents = [...Map.groupBy(samples, ({ located }) => located.result.agent)].map(([agent, own]) => {
    const ownWeights = request.normalised ? weightsOf(own, metric.blocks, bucket, request, rules) : null
    const asked = rules.agentWeightsOf === 'the point' ? own.map((sample) => weights.get(sample)) : ownWeights
    const fractions = own.map((_, index) => asked?.[index] ?? { hours: 1, rows: 1 })
    return { agent, own, value: statisticOf(own, fractions, perAgent, metric, request.normalised) }
  })
  const least = rules.minimumResults === 'is ignored' ? 1 : (perAgent.minimumResults ?? 1)
  return { agents, counted: agents.filter(({ own, value }) => own.length >= least && value !== null) }
}

/** A point about agents, except its label and its split values. */
export function agentPointOf(
  samples: readonly Sample[],
  metric: Metric,
  request: MetricRequest,
  bucket: Hours,
  rules: Rules,
): Point {
  const { agents, counted } = agentValues(samples, metric, request, bucket, rules)
  const values = counted.map(({ value }) => value ?? NaN).toSorted((one, other) => one - other)
  const results = counted.flatMap(({ own }) => own)
  const all: Record<PointField, unknown> = {
    sampleCount: results.length,
    agentCount: counted.length,
    unitCount: new Set(counted.map(({ agent }) => agent.unit).filter((unit) => unit !== null)).size,
    ...overAgents(
      values,
      counted.map(({ own }) => own),
      metric,
      request,
      rules,
    ),
  }
  const wanted = pointFields.filter((field) => isWanted(field, request))
  const withUncertainty = request.include?.includes('uncertainty') ?? false
  const hasPercentiles = isWanted('median', request) || isWanted('percentiles', request)
  const greatest = Math.max(0, ...samples.map(({ value }) => Math.abs(value)))
  return {
    ...Object.fromEntries(wanted.map((field) => [field, all[field]])),
    ...(withUncertainty ? uncertaintyOf(values) : {}),
    ...(withUncertainty && hasPercentiles ? { percentileIntervals: rangesOf(values, request, rules) } : {}),
    ...histogramOf(values, request, rules),
    ...reachingOf(values, request, rules),
    agentsBelowMinimum: agents.length - counted.length,
    ...(withUncertainty || request.compare !== undefined || wanted.some((field) => field.startsWith('ci'))
      ? cautionOf(
          counted.map(({ own }) => own),
          metric,
        )
      : {}),
    [scale]: { min: values[0] ?? 0, max: values.at(-1) ?? 0, sampleCount: results.length, floor: 1e-13 * greatest },
  }
}

/** The statistic of one agent from its own results, or null if it has none. */
function statisticOf(
  own: readonly Sample[],
  fractions: readonly Weight[],
  perAgent: PerAgent,
  metric: Metric,
  normalised: boolean,
): number | null {
  const values = own.map(({ value }) => value)
  const sorted = values.toSorted((one, other) => one - other)
  const weights = fractions.map(({ hours, rows }) => hours / rows)
  const weighted = (of: (sample: Sample) => number): number =>
    sum(own.map((sample, index) => of(sample) * (weights[index] ?? NaN)))
  const levelOf = (level: number): number =>
    normalised
      ? (weightedPercentiles(
          values.map((value, index) => ({ value, weight: fractions[index] ?? { hours: 0, rows: 1 } })),
          [level],
        )[0] ?? NaN)
      : percentile(sorted, level)
  switch (perAgent.statistic) {
    case 'mean':
      return 'ratio' in metric
        ? (100 * weighted(({ part }) => part)) / weighted(({ whole }) => whole)
        : weightedMean(values, weights)
    case 'median':
      return levelOf(50)
    case 'percentile':
      return levelOf(perAgent.level)
    case 'min':
      return sorted[0] ?? null
    case 'max':
      return sorted.at(-1) ?? null
    case 'share': {
      const { atLeast, below } = perAgent
      const isHit = (value: number): boolean => (atLeast === undefined ? value < (below ?? NaN) : value >= atLeast)
      return (100 * weighted(({ value }) => Number(isHit(value)))) / sum(weights)
    }
    case 'trimmedMean':
      break
  }
  const slack = rounding * Math.max(...values.map(Math.abs))
  const [low, high] = [levelOf(perAgent.low) - slack, levelOf(perAgent.high) + slack]
  const kept = values.map((value, index) => ({ value, weight: weights[index] ?? NaN }))
  const inside = kept.filter(({ value }) => value >= low && value <= high)
  if (inside.length === 0) return null
  return weightedMean(
    inside.map(({ value }) => value),
    inside.map(({ weight }) => weight),
  )
}

type OverAgents = Omit<Record<PointField, unknown>, 'sampleCount' | 'agentCount' | 'unitCount'>

const nothing: OverAgents = {
  metricValue: null,
  stdDev: null,
  ci90: null,
  ci95: null,
  ci99: null,
  min: null,
  max: null,
  median: null,
  percentiles: null,
}

function overAgents(
  values: readonly number[],
  agents: readonly (readonly Sample[])[],
  metric: Metric,
  request: MetricRequest,
  rules: Rules,
): OverAgents {
  const { length: m } = values
  if (m === 0) return nothing
  const weights = rules.agentsCount === 'equally' ? values.map(() => 1) : agents.map(({ length }) => length)
  const mean = weightedMean(values, weights)
  const error = errorOf(values)
  const halfWidth = (level: number): number | null => {
    if (m === 1) return null
    const isExtreme = 'ratio' in metric && error === 0 && (mean === 0 || mean === 100)
    return isExtreme ? 100 * (1 - ((1 - level) / 2) ** (1 / m)) : tQuantile(level, m - 1) * error
  }
  return {
    metricValue: mean,
    stdDev: error * Math.sqrt(m - 1),
    ci90: halfWidth(0.9),
    ci95: halfWidth(0.95),
    ci99: halfWidth(0.99),
    min: values[0],
    max: values.at(-1),
    median: percentile(values, 50),
    percentiles: Object.fromEntries(levelsOf(request).map((level) => [String(level), percentile(values, level)])),
  }
}

/** s / √m, with s² = Σ (v − v̄)² / (m − 1). */
function errorOf(values: readonly number[]): number {
  const { length: m } = values
  const [origin = 0] = values
  if (m < 2 || (values.at(-1) ?? 0) - origin < rounding * Math.abs(origin)) return 0
  const shifted = values.map((value) => value - origin)
  const mean = sum(shifted) / m
  return Math.sqrt(sum(shifted.map((value) => (value - mean) ** 2)) / (m - 1) / m)
}

function uncertaintyOf(values: readonly number[]): Point {
  const { length: m } = values
  return {
    standardError: m < 2 ? null : errorOf(values),
    effectiveAgents: m,
    degreesOfFreedom: m < 2 ? null : m - 1,
  }
}

/** Intervals of the percentiles by order statistics: the ranks are binomial quantiles. */
function rangesOf(
  values: readonly number[],
  request: MetricRequest,
  rules: Rules,
): Record<string, (number | null)[]> | null {
  const { length: m } = values
  if (m === 0) return null
  const at = (rank: number): number | null => (m === 1 ? null : (values[rank - 1] ?? null))
  const above = rules.upperRank === 'after the quantile' ? 1 : 0
  return Object.fromEntries(
    levelsOf(request).map((level) => [
      String(level),
      [at(binomialQuantile(tail, m, level / 100)), at(binomialQuantile(1 - tail, m, level / 100) + above)],
    ]),
  )
}

function reachingOf(values: readonly number[], { reaching }: MetricRequest, rules: Rules): Point {
  if (reaching === undefined) return {}
  const { atLeast, above, below } = reaching
  const reaches = (value: number): boolean =>
    atLeast === undefined ? (above === undefined ? value < (below ?? NaN) : value > above) : value >= atLeast
  const [k, m] = [values.filter(reaches).length, values.length]
  const none = { reachingShare: null, reachingLow: null, reachingHigh: null, reachingAgents: 0 }
  if (m === 0) return none
  const half = 1.959963984540054 * Math.sqrt(((k / m) * (1 - k / m)) / m)
  const [low, high] = rules.reachingBounds === 'exact' ? shareLimits(k, m, tail) : [k / m - half, k / m + half]
  return { reachingShare: (100 * k) / m, reachingLow: 100 * low, reachingHigh: 100 * high, reachingAgents: k }
}

function cautionOf(agents: readonly (readonly Sample[])[], metric: Metric): Point {
  const { length: m } = agents
  const having = (isOne: (own: readonly Sample[]) => boolean): number => agents.filter(isOne).length
  const failing = having((own) => sum(own.map(({ part }) => part)) > 0)
  const succeeding = having((own) => sum(own.map(({ part, whole }) => whole - part)) > 0)
  const caution = [
    ...(m === 1 ? ['one_agent'] : []),
    ...(m > 1 && m < fewAgents ? ['few_agents'] : []),
    ...('ratio' in metric && m > 0 && Math.min(failing, succeeding) < fewOutcomes ? ['few_failures'] : []),
  ]
  return caution.length === 0 ? {} : { caution }
}
