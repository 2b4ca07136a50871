import type { Aggregation } from '../../catalog/aggregations.ts'
import { comparisonNumbers } from '../../catalog/point-fields.ts'
import { isChronological } from './periods.ts'
import type { AgentPoints } from './per-agent.ts'
import type { PointStatistics } from './point-statistics.ts'

/** The fields of a request that determine what its points have. */
type Asked = Pick<PointStatistics, 'fields' | 'percentileLevels' | 'include'> &
  AgentPoints & {
    readonly aggregation: Aggregation | null
    readonly metrics?: unknown
    readonly splits: readonly { readonly id: string }[]
    readonly relativeTo?: 'plan'
    readonly compare?: unknown
  }

/** The percentiles of a response if the request does not name percentiles. */
export const percentileLevelsDefault: readonly number[] = [1, 5, 10, 20, 25, 50, 75, 80, 90, 95, 99]

const ofUncertainty = ['standardError', 'effectiveAgents', 'degreesOfFreedom'] as const
const ofUncertaintyOfResults = ['largestAgentShare', 'designEffect', 'effectiveSampleSize'] as const
const ofReaching = ['reachingShare', 'reachingLow', 'reachingHigh', 'reachingAgents'] as const
const ofPrefilter = ['before', 'removed', 'unfilteredValue', 'agentsLost'] as const
const ofCoverage = [
  'agentsOfRange',
  'agentsSeen',
  'agentsGone',
  'blocksSeen',
  'blocksExpected',
  'share',
  'lateShare',
] as const

/**
 * Returns the names of the numbers that every point of the response has, in the order of the response. The name of a number in
 * a nested object contains a dot: `percentiles.95`, `comparison.difference`.
 */
export function pointNumbers(asked: Asked): readonly string[] {
  const { fields, percentileLevels = percentileLevelsDefault, include, perAgent, reaching, relativeTo, compare } = asked
  return [
    ...fields.filter((name) => name !== 'percentiles'),
    ...(fields.includes('percentiles') ? within('percentiles', percentileLevels.map(String)) : []),
    ...(include.includes('uncertainty') ? ofUncertainty : []),
    ...(include.includes('uncertainty') && perAgent === undefined ? ofUncertaintyOfResults : []),
    ...(reaching === undefined ? [] : ofReaching),
    ...(perAgent === undefined ? [] : ['agentsBelowMinimum']),
    ...(include.includes('prefilter') ? within('prefilter', ofPrefilter) : []),
    ...(include.includes('coverage') ? within('coverage', ofCoverage) : []),
    ...(relativeTo === undefined ? [] : ['resultsWithoutPlan']),
    ...(compare === undefined ? [] : within('comparison', comparisonNumbers)),
  ]
}

const within = (name: string, numbers: readonly string[]): readonly string[] => numbers.map((one) => `${name}.${one}`)

/** Returns everything that points can be ordered by: their metric and splits, their period, and their numbers. */
export function orderChoices(asked: Asked): readonly string[] {
  const { aggregation, metrics, splits } = asked
  const label = aggregation === null || aggregation.label === 'none' ? [] : [labelOf(aggregation)]
  const metric = metrics === undefined ? [] : ['metric']
  return [...metric, ...splits.map(({ id }) => id), ...label, ...pointNumbers(asked)]
}

const labelOf = (aggregation: Aggregation): string => (isChronological(aggregation) ? 'dtime' : 'aggregatedNumber')
