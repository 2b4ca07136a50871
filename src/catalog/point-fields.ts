/** The statistics of a point, in the order of the response. A request may list those that it needs. */
export const pointFields = [
  'metricValue',
  'stdDev',
  'sampleCount',
  'agentCount',
  'unitCount',
  'ci90',
  'ci95',
  'ci99',
  'min',
  'max',
  'median',
  'percentiles',
] as const
export type PointField = (typeof pointFields)[number]

export const percentileFields: readonly PointField[] = ['median', 'percentiles']

/**
 * What a confidence interval treats as independent: the agents of the panel, or every single result. Results of one agent
 * resemble each other, so an interval that treats them as independent is too narrow.
 */
export const intervalKinds = ['agents', 'results'] as const
export type IntervalKind = (typeof intervalKinds)[number]

/** Additions to a response that a request may ask for. */
export const inclusions = ['meta', 'uncertainty', 'prefilter', 'coverage'] as const
export type Inclusion = (typeof inclusions)[number]

/** What can be computed from the results of each agent before agents are combined. */
export const agentStatistics = ['mean', 'median', 'percentile', 'min', 'max', 'share', 'trimmedMean'] as const
export type AgentStatisticKey = (typeof agentStatistics)[number]

/** The ways to compare a value with a threshold. */
export const thresholdForms = ['atLeast', 'above', 'below'] as const
export type ThresholdForm = (typeof thresholdForms)[number]

/** Why the intervals of a point may be too narrow. */
export const cautions = ['one_agent', 'few_agents', 'dominated', 'few_failures'] as const

/** The numbers of the comparison of a point, in the order of the response. */
export const comparisonNumbers = [
  'base',
  'baseAgents',
  'sharedAgents',
  'difference',
  'standardError',
  'low',
  'high',
  'ratio',
  'ratioLow',
  'ratioHigh',
  'degreesOfFreedom',
  'pValue',
  'pAdjusted',
] as const

export const comparisonMembers = [...comparisonNumbers, 'verdict', 'better'] as const
