import { aggregations, type Aggregation } from '../../catalog/aggregations.ts'
import type { MetricDefinition } from '../../catalog/define-metric.ts'
import type { Panel } from '../../catalog/grants.ts'
import type { LocalWindow } from '../../catalog/local-window.ts'
import type { VisibleCatalog, VisibleDimension } from '../../catalog/visible.ts'
import type { AgentLocal } from './agent-local-time.ts'
import { choiceDetail } from '../choices.ts'
import { FieldFaults, isAbsent, isObject, messages, faultsMax } from '../field-faults.ts'
import { applyWindow, checkWindow } from './local-window.ts'
import { checkCompare, type Compare } from './compare.ts'
import type { MetricFilter } from './filters/filter-tree.ts'
import { checkDimension, checkFilters, type Dimensions } from './filters/metric-filters.ts'
import { checkPanelSelection } from './panel-selection.ts'
import { orderChoices, pointNumbers } from './point-numbers.ts'
import { checkPointSelection, selectionFields, type PointSelection } from './point-selection.ts'
import { checkTop, type Top } from './series/top.ts'
import { checkEmptyBuckets, type EmptyBuckets } from './series/empty-buckets.ts'
import { checkTotals, type Totals } from './series/totals.ts'
import { checkMetrics } from './metrics.ts'
import { checkAgentPoints, type AgentPoints } from './per-agent.ts'
import { checkWholePeriods } from './periods.ts'
import { fillFromPreset } from './preset.ts'
import { checkPointStatistics, type PointStatistics } from './point-statistics.ts'
import { checkRelativeTo } from './relative-to.ts'
import { checkTimeRange } from './time-range.ts'

export type MetricRequest = {
  /** The first metric, if the request names several. */
  readonly metric: MetricDefinition
  /** Present if the request has `metrics`. Its points then say which metric they are of. */
  readonly metrics?: readonly MetricDefinition[]
  readonly panels: readonly number[]
  /** The time range, in whole seconds of the local time of each agent. Both ends are included. */
  readonly from: AgentLocal
  readonly to: AgentLocal
  /** Null for raw points. */
  readonly aggregation: Aggregation | null
  readonly normalised: boolean
  readonly prefilter: boolean
  readonly splits: readonly VisibleDimension[]
  readonly filters: readonly MetricFilter[]
  /** Present if the request asks only for whole periods that have ended. */
  readonly wholePeriods?: true
  /** Present if values are percentages of the speed of the agent's package. The metric then has a `plan`. */
  readonly relativeTo?: 'plan'
  /** Keeps only results of these hours. Absent if the window of the request defines `peak` instead. */
  readonly window?: LocalWindow
  /** Present if the response compares each point with a base. */
  readonly compare?: Compare
  /** Present if the response contains only the first series, and perhaps one of all others. */
  readonly top?: Top
  /** The body of the request together with the fields of its preset. Present if the request names a preset. */
  readonly asked?: Body
} & PointStatistics &
  AgentPoints &
  EmptyBuckets &
  Totals &
  PointSelection

const fields = ['metric', 'chartType', 'aggregation', 'normalised', 'prefilter', 'splits', 'filters', 'time', 'panel']
const fieldsBeyondTheSpecification = [
  'metrics',
  'preset',
  'agent_agg',
  'percentiles',
  'percentileLevels',
  'histogram',
  'fields',
  'intervals',
  'include',
  'wholePeriods',
  'relativeTo',
  'window',
  'perAgent',
  'reaching',
  'compare',
  'emptyBuckets',
  'totals',
  'top',
  ...selectionFields,
  'after',
]
export const splitsMax = 4

type Body = Readonly<Record<string, unknown>>

/** Checks the body of POST /metric_data. Throws one 422 with all its faults, including those that `faults` already contains. */
export function checkMetricRequest(
  value: unknown,
  visible: VisibleCatalog,
  panels: readonly Panel[],
  now: Temporal.Instant,
  faults: FieldFaults = new FieldFaults(),
): MetricRequest {
  const given: Body = isObject(value) ? value : {}
  if (!isObject(value)) faults.add('body', messages.type('object'))
  faults.addUnexpected(given, [...fields, ...fieldsBeyondTheSpecification])
  const { body, asked } = fillFromPreset(given, visible, faults)
  const metrics = checkMetrics(body, visible, faults)
  const aggregation = checkAggregation(body, metrics, faults)
  const dimensions = new Map(visible.dimensions.map((one) => [one.id, one]))
  const range = checkTimeRange(body['time'], 'time', now, faults)
  const splits = checkSplits(body['splits'], dimensions, metrics, faults)
  const filters = checkFilters(body['filters'], dimensions, metrics, faults)
  const request = {
    panels: checkPanelSelection(body['panel'], panels, faults),
    ...(range ?? { from: 0, to: 0 }),
    aggregation,
    normalised: checkFlag(body, 'normalised', faults),
    prefilter: checkFlag(body, 'prefilter', faults),
    splits,
    filters,
    ...checkPointStatistics(body, body['chartType'] === 'raw', faults),
    ...checkWholePeriods(body, aggregation, faults),
    ...checkEmptyBuckets(body, aggregation, faults),
    ...checkTotals(body, faults),
    ...checkRelativeTo(body, metrics, visible, faults),
    ...checkAgentPoints(body, metrics, faults),
    ...checkCompare(body, { metrics, aggregation, range, splits, filters }, dimensions, now, faults),
    ...(asked === undefined ? {} : { asked }),
    ...(isAbsent(body['metrics']) ? {} : { metrics }),
  }
  const names = () => ({ numbers: pointNumbers(request), orderable: orderChoices(request) })
  const selected = {
    ...request,
    ...checkTop(body, request, () => pointNumbers(request), faults),
    ...checkPointSelection(body, names, faults),
  }
  const windowed = applyWindow(selected, checkWindow(body['window'], faults), faults)
  faults.throwIfAny()
  const [metric] = metrics
  if (metric === undefined) throw new Error('a request without a metric passed its check')
  return { metric, ...windowed }
}

/** If the chart type is `raw`, an aggregation is checked but has no effect. */
function checkAggregation(body: Body, [metric]: readonly MetricDefinition[], faults: FieldFaults): Aggregation | null {
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

function checkSplits(
  value: unknown,
  dimensions: Dimensions,
  metrics: readonly MetricDefinition[],
  faults: FieldFaults,
): readonly VisibleDimension[] {
  if (isAbsent(value)) return []
  if (!Array.isArray(value)) {
    faults.add('splits', messages.type('array'))
    return []
  }
  if (value.length > splitsMax) faults.add('splits', `There may be at most ${splitsMax} splits.`)
  // Only the first `faultsMax` splits are checked: a body can contain sixty thousand, but a response lists at most so many faults.
  const seen = new Set<unknown>()
  return value.slice(0, faultsMax).flatMap((id: unknown, index) => {
    const dimension = checkDimension(id, `splits[${index}]`, dimensions, metrics, faults)
    if (dimension !== null && seen.has(id)) faults.add(`splits[${index}]`, 'This split is repeated.')
    seen.add(id)
    return dimension ?? []
  })
}
