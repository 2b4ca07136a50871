import type { MetricDefinition } from '../../catalog/define-metric.ts'
import {
  agentStatistics,
  thresholdForms,
  type AgentStatisticKey,
  type ThresholdForm,
} from '../../catalog/point-fields.ts'
import { choiceDetail } from '../choices.ts'
import { checkNumber, isAbsent, isObject, messages, onlyOneOf, type FieldFaults } from '../field-faults.ts'

/** A bound that values are compared with, in the unit of the values. */
export type Threshold = { readonly is: ThresholdForm; readonly value: number }

/** What is computed from the results of each agent before the agents are combined. Levels are in percent. */
type AgentStatistic =
  | { readonly statistic: 'mean' }
  | { readonly statistic: 'median' }
  | { readonly statistic: 'min' }
  | { readonly statistic: 'max' }
  | { readonly statistic: 'percentile'; readonly level: number }
  | { readonly statistic: 'share'; readonly threshold: Threshold }
  | { readonly statistic: 'trimmedMean'; readonly low: number; readonly high: number }

/** Agents with fewer results than `minimumResults` are left out. */
export type PerAgent = AgentStatistic & { readonly minimumResults: number }

/** Present if the points of a request are about agents. */
export type AgentPoints = {
  readonly perAgent?: PerAgent
  /** The points say how many agents have a statistic that reaches this threshold. */
  readonly reaching?: Threshold
}

export const minimumResultsMax = 1_000_000

type Body = Readonly<Record<string, unknown>>

const members: Readonly<Record<AgentStatisticKey, readonly string[]>> = {
  mean: [],
  median: [],
  percentile: ['level'],
  min: [],
  max: [],
  share: ['atLeast', 'below'],
  trimmedMean: ['low', 'high'],
}

/** Checks `perAgent` and `reaching`. Existing clients send `agent_agg: true`, which means the mean of each agent. */
export function checkAgentPoints(body: Body, metrics: readonly MetricDefinition[], faults: FieldFaults): AgentPoints {
  const isMean = checkAgentAggregation(body, faults)
  const isGiven = !isAbsent(body['perAgent'])
  const perAgent = isGiven
    ? checkPerAgent(body['perAgent'], metrics, faults)
    : isMean
      ? ({ statistic: 'mean', minimumResults: 1 } as const)
      : null
  const reaching = isAbsent(body['reaching'])
    ? null
    : checkThreshold(body['reaching'], 'reaching', thresholdForms, faults)
  if (reaching !== null && !isGiven && !isMean) {
    faults.add('reaching', 'Only a request with "perAgent" can have "reaching".')
  }
  if (isGiven || isMean) checkOtherFields(body, isGiven ? 'perAgent' : 'agent_agg', faults)
  return { ...(perAgent === null ? {} : { perAgent }), ...(reaching === null ? {} : { reaching }) }
}

function checkAgentAggregation(body: Body, faults: FieldFaults): boolean {
  const value = body['agent_agg']
  if (isAbsent(value) || value === false) return false
  if (value !== true) faults.add('agent_agg', messages.type('bool'))
  else if (!isAbsent(body['perAgent'])) {
    faults.add('agent_agg', 'Leave out this field: "perAgent" says what is computed of each agent.')
  }
  return value === true
}

/**
 * Refuses the fields that points about agents do not support. Otherwise a response would contain less than its request asks
 * for.
 */
function checkOtherFields(body: Body, field: string, faults: FieldFaults): void {
  if (body['chartType'] === 'raw') {
    faults.add(field, 'Raw points have no statistics; use the chart type "aggregate".')
  }
  if (body['intervals'] === 'results') faults.add('intervals', 'Points about agents have only intervals by "agents".')
  if (body['percentiles'] === 'sketch') {
    faults.add('percentiles', 'Percentiles of points about agents are "exact" or "none".')
  }
  const include = body['include']
  if (Array.isArray(include) && (include.includes('prefilter') || include.includes('coverage'))) {
    faults.add('include', 'Points about agents can include only "meta" and "uncertainty".')
  }
}

function checkPerAgent(value: unknown, metrics: readonly MetricDefinition[], faults: FieldFaults): PerAgent | null {
  if (!isObject(value)) {
    faults.add('perAgent', messages.type('object'))
    return null
  }
  const statistic = agentStatistics.find((one) => one === value['statistic'])
  if (statistic === undefined) {
    faults.addChoice('perAgent[statistic]', value['statistic'], () => agentStatistics)
    return null
  }
  const ratio = metrics.find(({ measure }) => measure.kind === 'ratio')
  if (ratio !== undefined && statistic !== 'mean') {
    const of = metrics.length === 1 ? 'a ratio' : `the ratio ${ratio.key}`
    const reason = `The statistic of ${of} is the ratio of the sums of the agent.`
    faults.add('perAgent[statistic]', messages.choice, () => choiceDetail(statistic, ['mean'], reason))
  }
  faults.addUnexpected(value, ['statistic', ...members[statistic], 'minimumResults'], 'perAgent')
  const minimumResults = checkMinimum(value['minimumResults'], faults)
  const rest = checkMembers(statistic, value, faults)
  return rest === null ? null : { ...rest, minimumResults }
}

function checkMembers(statistic: AgentStatisticKey, value: Body, faults: FieldFaults): AgentStatistic | null {
  if (statistic === 'percentile') {
    const level = checkLevel(value, 'level', faults)
    return level === null ? null : { statistic, level }
  }
  if (statistic === 'share') {
    const { atLeast, below } = value
    const given = { ...(atLeast === undefined ? {} : { atLeast }), ...(below === undefined ? {} : { below }) }
    const threshold = checkThreshold(given, 'perAgent', ['atLeast', 'below'], faults)
    return threshold === null ? null : { statistic, threshold }
  }
  if (statistic === 'trimmedMean') {
    const [low, high] = [checkLevel(value, 'low', faults), checkLevel(value, 'high', faults)]
    if (low === null || high === null) return null
    if (low >= high) faults.add('perAgent[high]', 'This value should be above perAgent[low].')
    return { statistic, low, high }
  }
  return { statistic }
}

function checkLevel(value: Body, name: string, faults: FieldFaults): number | null {
  const level = checkNumber(value[name], `perAgent[${name}]`, faults)
  if (level === null || (level >= 0 && level <= 100)) return level
  faults.add(`perAgent[${name}]`, 'This value should be between 0 and 100.')
  return null
}

function checkMinimum(value: unknown, faults: FieldFaults): number {
  if (isAbsent(value)) return 1
  const path = 'perAgent[minimumResults]'
  if (typeof value !== 'number' || !Number.isInteger(value)) faults.add(path, messages.type('integer'))
  else if (value < 1 || value > minimumResultsMax) {
    faults.add(path, `This value should be between 1 and ${minimumResultsMax}.`)
  } else return value
  return 1
}

/** Checks an object that must contain exactly one of `names`. */
function checkThreshold(
  value: unknown,
  path: string,
  names: readonly ThresholdForm[],
  faults: FieldFaults,
): Threshold | null {
  if (!isObject(value)) {
    faults.add(path, messages.type('object'))
    return null
  }
  faults.addUnexpected(value, names, path)
  const is = onlyOneOf(names, value, path, faults)
  if (is === null) return null
  const threshold = checkNumber(value[is], `${path}[${is}]`, faults)
  return threshold === null ? null : { is, value: threshold }
}
