import type { MetricDefinition } from '../../catalog/define-metric.ts'
import type { VisibleCatalog } from '../../catalog/visible.ts'
import { isAbsent, messages, type FieldFaults } from '../field-faults.ts'

/** Maximum number of metrics of a request. */
export const metricsMax = 10

type Body = Readonly<Record<string, unknown>>

/** Returns the metrics that a request asks for, in `metric` or in `metrics`. The list is empty if the field has faults. */
export function checkMetrics(
  { metric, metrics, chartType }: Body,
  { metrics: visible }: VisibleCatalog,
  faults: FieldFaults,
): readonly MetricDefinition[] {
  if (isAbsent(metrics)) return checkMetric(metric, 'metric', visible, faults)
  if (!isAbsent(metric)) faults.add('metrics', 'Leave out this field or "metric".')
  if (chartType === 'raw') faults.add('metrics', 'Raw points are of one metric; use "metric".')
  if (!Array.isArray(metrics)) faults.add('metrics', messages.type('array'))
  else if (metrics.length === 0 || metrics.length > metricsMax) {
    faults.add('metrics', `This list should contain from 1 to ${metricsMax} metrics.`)
  } else {
    const seen = new Set<unknown>()
    return metrics.flatMap((key: unknown, index) => {
      if (seen.has(key)) faults.add(`metrics[${index}]`, 'This metric is repeated.')
      seen.add(key)
      return checkMetric(key, `metrics[${index}]`, visible, faults)
    })
  }
  return []
}

function checkMetric(
  key: unknown,
  path: string,
  visible: readonly MetricDefinition[],
  faults: FieldFaults,
): readonly MetricDefinition[] {
  const metric = visible.find((one) => one.key === key)
  if (metric !== undefined) return [metric]
  faults.addChoice(path, key, () => visible.map((one) => one.key), 'No metric you can use has this key.')
  return []
}

/** How a message calls one of the metrics of a request. */
export const nameIn = (metrics: readonly MetricDefinition[], { key }: MetricDefinition): string =>
  metrics.length === 1 ? 'this metric' : `the metric ${key}`
