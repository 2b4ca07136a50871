import {
  agentError,
  agentIntervals,
  cautionsOf,
  extremeIntervals,
  resultIntervals,
  type AgentError,
  type Intervals,
  type Outcomes,
} from './intervals.ts'
import { leaveOneOut, type Jackknife } from './jackknife.ts'
import type { Metric } from './metrics.ts'
import { percentParts } from './plans.ts'
import { percentileIntervals } from './percentile-intervals.ts'
import { includes, type MetricRequest, type Point } from './request.ts'
import type { Rules } from './rules.ts'
import type { Sample } from './select.ts'
import type { BlockWeight } from './weights.ts'

/** Means are computed in whole millionths, because every stored number is a whole number of them. */
const millionths = 1e6

/**
 * The intervals of a point, the members of `uncertainty` if they are requested, and `caution` if there is any.
 * `plainError` is the standard error if every result is independent.
 */
export function uncertaintyOf(
  samples: readonly Sample[],
  metric: Metric,
  request: MetricRequest,
  blocks: readonly BlockWeight[] | null,
  plainError: number,
  rules: Rules,
): Point & { intervals: Intervals } {
  const isShare = 'ratio' in metric
  const error = agentError(jackknifeOf(samples, metric, request, blocks, rules), rules)
  const byResults = (request.intervals ?? rules.intervals) === 'results'
  // Duplicated packets make losses negative. So a share of 0 can be a sum of different losses, and then V is not 0.
  const isCertain = error.standardError === 0 && rules.extremeShares === 'far limit'
  const isExtreme = isShare && isCertain && isExtremeShare(samples)
  const byAgents = isExtreme ? extremeIntervals(error) : agentIntervals(error, rules)
  const included = includes(request, 'uncertainty')
  const hasInterval = request.fields?.some((field) => field.startsWith('ci')) ?? true
  const needsCaution = hasInterval || included || request.compare !== undefined
  const hasCaution = (!byResults || rules.cautionOfResults) && needsCaution
  const cautions = hasCaution ? cautionsOf(error, isShare ? outcomesOf(samples, rules) : undefined, rules) : []
  const ofResults = byResults && rules.uncertaintyOfResults
  const described = ofResults ? { ...error, standardError: plainError } : error
  return {
    intervals: byResults ? resultIntervals(plainError, samples.length) : byAgents,
    ...(included ? membersOf(described, plainError, samples.length) : {}),
    ...(included && hasPercentiles(request) ? { percentileIntervals: rangesOf(samples, request, error, rules) } : {}),
    ...(cautions.length > 0 ? { caution: cautions } : {}),
  }
}

/** How `metricValue` changes without each agent. The agents are in the order of their first samples. */
export function jackknifeOf(
  samples: readonly Sample[],
  metric: Metric,
  request: MetricRequest,
  blocks: readonly BlockWeight[] | null,
  rules: Rules,
): Jackknife {
  const isShare = 'ratio' in metric
  const parts = request.relativeTo === undefined ? millionths : percentParts
  const entries = samples.map(({ located, part, whole }, index) => ({
    agent: located.result.agent,
    block: blocks?.[index]?.block ?? 0,
    hours: blocks?.[index]?.hours ?? 1,
    y: BigInt(isShare ? part : Math.round(part * parts)),
    x: BigInt(whole),
  }))
  const jackknife = leaveOneOut(entries, rules)
  const toUnit = (difference: number): number => (isShare ? difference * 100 : difference / parts)
  return { ...jackknife, differences: jackknife.differences.map(toUnit) }
}

const total = (samples: readonly Sample[], of: (sample: Sample) => number): number =>
  samples.reduce((sum, sample) => sum + of(sample), 0)

export function isExtremeShare(samples: readonly Sample[]): boolean {
  const parts = total(samples, ({ part }) => part)
  return parts === 0 || parts === total(samples, ({ whole }) => whole)
}

function outcomesOf(samples: readonly Sample[], { fewFailures }: Rules): Outcomes {
  const agents =
    fewFailures === 'of results'
      ? samples.map((sample) => [sample])
      : [...Map.groupBy(samples, ({ located }) => located.result.agent).values()]
  return {
    failing: agents.filter((own) => total(own, ({ part }) => part) > 0).length,
    succeeding: agents.filter((own) => total(own, ({ part, whole }) => whole - part) > 0).length,
  }
}

/** The members of a point without any sample, all of which are null. Nothing is said about its uncertainty. */
export const emptyUncertainty = (request: MetricRequest): Point =>
  includes(request, 'uncertainty')
    ? {
        standardError: null,
        effectiveAgents: null,
        degreesOfFreedom: null,
        largestAgentShare: null,
        designEffect: null,
        effectiveSampleSize: null,
        ...(hasPercentiles(request) ? { percentileIntervals: null } : {}),
      }
    : {}

function membersOf(error: AgentError, plainError: number, sampleCount: number): Point {
  const { agents, standardError, effectiveAgents, degreesOfFreedom, largestShare } = error
  const alone = agents === 1
  const designEffect = alone || plainError === 0 ? null : (standardError / plainError) ** 2
  return {
    standardError: alone ? null : standardError,
    effectiveAgents,
    degreesOfFreedom: alone ? null : degreesOfFreedom,
    largestAgentShare: largestShare,
    designEffect,
    effectiveSampleSize: designEffect === null || designEffect === 0 ? null : sampleCount / designEffect,
  }
}

/** Leaving out both `median` and `percentiles` has the same effect as `percentiles: "none"`. */
const hasPercentiles = ({ percentiles, fields }: MetricRequest): boolean =>
  percentiles !== 'none' && (fields?.some((field) => field === 'median' || field === 'percentiles') ?? true)

const rangesOf = (samples: readonly Sample[], request: MetricRequest, { agents }: AgentError, rules: Rules) =>
  request.normalised || agents === 1 ? null : percentileIntervals(samples, request, rules)
