import { aggregations, type Aggregation } from '../../catalog/aggregations.ts'
import type { MetricDefinition } from '../../catalog/define-metric.ts'
import type { Panel } from '../../catalog/grants.ts'
import type { VisibleCatalog, VisibleDimension } from '../../catalog/visible.ts'
import { parseAgentLocal, type AgentLocal } from './agent-local-time.ts'
import { choiceDetail } from '../choices.ts'
import { FieldFaults, isAbsent, isObject, messages, faultsMax } from '../field-faults.ts'
import { checkDimension, checkFilters, type Dimensions, type MetricFilter } from './metric-filters.ts'
import { checkPanelSelection } from './panel-selection.ts'

export type MetricRequest = {
  readonly metric: MetricDefinition
  readonly panels: readonly number[]
  /** Both ends included, at whole seconds of each agent's local time. */
  readonly from: AgentLocal
  readonly to: AgentLocal
  /** Null for raw points. */
  readonly aggregation: Aggregation | null
  readonly normalised: boolean
  readonly prefilter: boolean
  readonly splits: readonly VisibleDimension[]
  readonly filters: readonly MetricFilter[]
  readonly percentiles: (typeof percentileChoices)[number]
}

const fields = ['metric', 'chartType', 'aggregation', 'normalised', 'prefilter', 'splits', 'filters', 'time', 'panel']
const fieldsBeyondTheSpecification = ['agent_agg', 'percentiles']
export const splitsMax = 4
export const percentileChoices = ['exact', 'sketch', 'none'] as const

type Body = Readonly<Record<string, unknown>>

/** The body of POST /metric_data, or one answer with everything that is wrong with it, and with what `faults` has already. */
export function checkMetricRequest(
  value: unknown,
  visible: VisibleCatalog,
  panels: readonly Panel[],
  now: Temporal.Instant,
  faults: FieldFaults = new FieldFaults(),
): MetricRequest {
  const body: Body = isObject(value) ? value : {}
  if (!isObject(value)) faults.add('body', messages.type('object'))
  faults.addUnexpected(body, [...fields, ...fieldsBeyondTheSpecification])
  const metric = checkMetric(body['metric'], visible, faults)
  const aggregation = checkAggregation(body, metric, faults)
  const dimensions = new Map(visible.dimensions.map((one) => [one.id, one]))
  const request = {
    panels: checkPanelSelection(body['panel'], panels, faults),
    ...checkTime(body['time'], now, faults),
    aggregation,
    normalised: checkFlag(body, 'normalised', faults),
    prefilter: checkFlag(body, 'prefilter', faults),
    splits: checkSplits(body['splits'], dimensions, metric, faults),
    filters: checkFilters(body['filters'], dimensions, metric, faults),
    percentiles: checkPercentiles(body['percentiles'], faults),
  }
  checkAgentAggregation(body['agent_agg'], faults)
  faults.throwIfAny()
  if (metric === null) throw new Error('a request without a metric passed its check')
  return { metric, ...request }
}

function checkMetric(key: unknown, { metrics }: VisibleCatalog, faults: FieldFaults): MetricDefinition | null {
  const metric = metrics.find((one) => one.key === key)
  if (metric !== undefined) return metric
  faults.addChoice('metric', key, () => metrics.map((one) => one.key), 'No metric you can use has this key.')
  return null
}

/** Given with `raw` it is checked all the same, and then has no effect. */
function checkAggregation(body: Body, metric: MetricDefinition | null, faults: FieldFaults): Aggregation | null {
  const chartType = checkChoice(body['chartType'], 'chartType', ['raw', 'aggregate'], faults)
  if (chartType === 'raw' && metric?.aggregatedOnly === true) {
    faults.add('chartType', 'This metric is only available in aggregated form.', () => choiceDetail('', ['aggregate']))
  }
  const value = body['aggregation'] ?? undefined
  if (chartType !== 'aggregate' && value === undefined) return null
  const keys = aggregations.map(({ key }) => key)
  const key = checkChoice(value, 'aggregation', keys, faults)
  return chartType === 'raw' ? null : (aggregations.find((one) => one.key === key) ?? null)
}

function checkChoice(value: unknown, name: string, choices: readonly string[], faults: FieldFaults): string | null {
  if (typeof value === 'string' && choices.includes(value)) return value
  faults.addChoice(name, value, () => choices)
  return null
}

function checkFlag(body: Body, name: string, faults: FieldFaults): boolean {
  const value = body[name]
  if (typeof value === 'boolean') return value
  faults.add(name, value === undefined ? messages.missing : messages.type('bool'))
  return false
}

function checkTime(value: unknown, now: Temporal.Instant, faults: FieldFaults): { from: AgentLocal; to: AgentLocal } {
  const time: Body = isObject(value) ? value : {}
  if (!isObject(value)) faults.add('time', value === undefined ? messages.missing : messages.type('object'))
  else faults.addUnexpected(time, ['from', 'to'], 'time')
  const end = (name: 'from' | 'to'): AgentLocal | null => {
    if (!isObject(value)) return null
    const text = time[name]
    const parsed = typeof text === 'string' ? parseAgentLocal(text, now) : null
    if (text === undefined) faults.add(`time[${name}]`, messages.missing)
    else if (typeof text !== 'string') faults.add(`time[${name}]`, messages.type('string'))
    else if (parsed === null) faults.add(`time[${name}]`, 'This value is not a valid datetime.')
    return parsed
  }
  const [from, to] = [end('from'), end('to')]
  if (from !== null && to !== null && from > to) faults.add('time[to]', 'This value should not be before time[from].')
  return { from: from ?? 0, to: to ?? 0 }
}

function checkSplits(
  value: unknown,
  dimensions: Dimensions,
  metric: MetricDefinition | null,
  faults: FieldFaults,
): readonly VisibleDimension[] {
  if (isAbsent(value)) return []
  if (!Array.isArray(value)) {
    faults.add('splits', messages.type('array'))
    return []
  }
  if (value.length > splitsMax) faults.add('splits', `There may be at most ${splitsMax} splits.`)
  // A body has room for sixty thousand of them, and an answer for a thousand faults.
  const seen = new Set<unknown>()
  return value.slice(0, faultsMax).flatMap((id: unknown, index) => {
    const dimension = checkDimension(id, `splits[${index}]`, dimensions, metric, faults)
    if (dimension !== null && seen.has(id)) faults.add(`splits[${index}]`, 'This split is repeated.')
    seen.add(id)
    return dimension ?? []
  })
}

function checkPercentiles(value: unknown, faults: FieldFaults): MetricRequest['percentiles'] {
  if (isAbsent(value)) return 'exact'
  const choice = percentileChoices.find((one) => one === value)
  if (choice === undefined) faults.addChoice('percentiles', value, () => percentileChoices)
  return choice ?? 'exact'
}

/** Seen in real requests. Averages per agent are not offered, and asking for them must not be answered by others. */
function checkAgentAggregation(value: unknown, faults: FieldFaults): void {
  if (isAbsent(value) || value === false) return
  const message = value === true ? messages.choice : messages.type('bool')
  faults.add('agent_agg', message, () => ({ reason: 'Averages per agent are not offered.' }))
}
