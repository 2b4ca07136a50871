import { agentValues, isAboutAgents } from '../agent-points.ts'
import type { Hours } from '../buckets.ts'
import { agentError } from '../intervals.ts'
import type { Metric } from '../metrics.ts'
import type { Compare, MetricRequest } from '../request.ts'
import type { Rules } from '../rules.ts'
import type { Sample } from '../select.ts'
import { valueOfPoint } from '../statistics.ts'
import { isExtremeShare, jackknifeOf } from '../uncertainty.ts'
import { weightsOf } from '../weights.ts'
import { sum, weightedMean } from '../sums.ts'
import { quantileOfTail } from './student.ts'

/** One of the two sides of a comparison. */
export type Side = {
  value: number
  /** For each agent, √((m − 1) / m) · (value without the agent − value). */
  deltas: ReadonlyMap<unknown, number>
  /** The variance that a share of exactly 0 or 100 % has in addition, because its agents do not differ. */
  extremeVariance: number
  degreesOfFreedom: number
  /** The largest absolute value of the side. Rounding errors depend on it. */
  greatest: number
}

type Compared = MetricRequest & { compare: Compare }

/** How a side is computed from its samples. */
export type SideOf = (samples: readonly Sample[]) => Side

export const sideOf =
  (metric: Metric, request: Compared, bucket: Hours, rules: Rules): SideOf =>
  (samples) =>
    (isAboutAgents(request) ? sideOfAgents : sideOfResults)(samples, metric, request, bucket, rules)

/** The agents that a side has. */
export function agentsOf(
  samples: readonly Sample[],
  metric: Metric,
  request: MetricRequest,
  bucket: Hours,
  rules: Rules,
): Set<unknown> {
  if (!isAboutAgents(request)) return new Set(samples.map(({ located }) => located.result.agent))
  return new Set(agentValues(samples, metric, request, bucket, rules).counted.map(({ agent }) => agent))
}

function sideOfResults(
  samples: readonly Sample[],
  metric: Metric,
  request: Compared,
  bucket: Hours,
  rules: Rules,
): Side {
  const blocks = request.normalised ? weightsOf(samples, metric.blocks, bucket, request, rules) : null
  const jackknife = jackknifeOf(samples, metric, request, blocks, rules)
  const error = agentError(jackknife, rules)
  const isExtreme = 'ratio' in metric && error.standardError === 0 && isExtremeShare(samples)
  const agents = [...new Set(samples.map(({ located }) => located.result.agent))]
  return {
    value: valueOfPoint(samples, metric, request, bucket, rules),
    ...scaled(agents, jackknife.differences),
    extremeVariance: isExtreme ? varianceOfExtreme(error.agents, error.effectiveAgents, request.compare) : 0,
    degreesOfFreedom: error.degreesOfFreedom,
    greatest: greatestOf(samples),
  }
}

/** Values that are equal but for rounding. */
const rounding = 1e-12

function sideOfAgents(
  samples: readonly Sample[],
  metric: Metric,
  request: Compared,
  bucket: Hours,
  rules: Rules,
): Side {
  const { counted } = agentValues(samples, metric, request, bucket, rules)
  const values = counted.map(({ value }) => value ?? NaN)
  const m = values.length
  const mean = weightedMean(
    values,
    values.map(() => 1),
  )
  const [origin = 0] = values
  const isSame = values.every((value) => Math.abs(value - origin) <= rounding * Math.abs(origin))
  const shifted = sum(values.map((value) => value - origin)) / m
  const isShare = 'ratio' in metric || request.perAgent?.statistic === 'share'
  const isExtreme = isShare && isSame && (mean === 0 || mean === 100)
  return {
    value: mean,
    ...scaled(
      counted.map(({ agent }) => agent),
      values.map((value) => (isSame ? 0 : (shifted - (value - origin)) / (m - 1))),
    ),
    extremeVariance: isExtreme ? varianceOfExtreme(m, m, request.compare) : 0,
    degreesOfFreedom: Math.max(1, m - 1),
    greatest: greatestOf(samples),
  }
}

const greatestOf = (samples: readonly Sample[]): number =>
  samples.reduce((most, { value }) => Math.max(most, Math.abs(value)), 0)

const scaled = (agents: readonly unknown[], differences: readonly number[]): Pick<Side, 'deltas'> => {
  const factor = Math.sqrt((agents.length - 1) / agents.length)
  return { deltas: new Map(agents.map((agent, index) => [agent, factor * (differences[index] ?? NaN)])) }
}

/** (h / t)² with the half-width h of the interval of a share of exactly 0 or 100 %. Its confidence is that of the comparison. */
function varianceOfExtreme(agents: number, effectiveAgents: number, { alpha = 0.05 }: Compare): number {
  if (agents < 2) return 0
  const halfWidth = 100 * (1 - (alpha / 2) ** (1 / effectiveAgents))
  return (halfWidth / quantileOfTail(alpha, Math.max(1, effectiveAgents - 1))) ** 2
}
