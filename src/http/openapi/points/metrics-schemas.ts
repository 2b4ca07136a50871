import type { MetricDefinition } from '../../../catalog/define-metric.ts'
import { metricsMax } from '../../../check/metric/metrics.ts'
import { has, listOf, orNull, text, type Schema } from '../schema.ts'

const keysOf = (metrics: readonly MetricDefinition[]): string[] => metrics.map(({ key }) => key)

/** The fields that name the metrics of a request. A request has exactly one of them. */
export const metricFields = (metrics: readonly MetricDefinition[]): Readonly<Record<'metric' | 'metrics', Schema>> => ({
  metric: orNull(text('A key of `GET /metrics`. Required without `metrics`.', { enum: keysOf(metrics) })),
  metrics: orNull(
    listOf(text('A key of `GET /metrics`.', { enum: keysOf(metrics) }), {
      description:
        'Several metrics, instead of `metric`. The response has one series for each metric and each combination of values of the splits.',
      minItems: 1,
      maxItems: metricsMax,
      uniqueItems: true,
    }),
  ),
})

const isOne = has('metric', { type: 'string' })
const areSeveral = has('metrics', { type: 'array' })

/** A request must have one of the two fields, and not both. */
export const contradictionsOfMetrics: readonly Schema[] = [
  { allOf: [isOne, areSeveral] },
  { not: { anyOf: [isOne, areSeveral] } },
]

/** Returns the schema of a request for one of these metrics, alone or with others. */
export const asksFor = (metrics: readonly MetricDefinition[]): Schema => ({
  anyOf: [
    has('metric', { enum: keysOf(metrics) }),
    has('metrics', { type: 'array', contains: { enum: keysOf(metrics) } }),
  ],
})

/** What `meta` says about a metric. */
export const shownMetric: Readonly<Record<string, Schema>> = {
  key: text('Key of the metric.'),
  name: text('Display name of the metric.'),
  unit: text('Unit of the points.'),
  description: text('What the metric measures.'),
}
