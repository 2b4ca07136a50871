import type { MetricDefinition } from '../../../catalog/define-metric.ts'
import { presets } from '../../../catalog/presets/index.ts'
import { metricsOf } from '../../../check/metric/preset.ts'
import { asksFor } from './metrics-schemas.ts'
import { listOf, orNull, record, text, type Schema } from '../schema.ts'

export const preset: Schema = orNull(
  text('A key of `GET /presets`: fills the fields of a published statistic. Fields of the request win.', {
    enum: presets.map(({ key }) => key),
  }),
)

export const presetListEntry = record({
  key: text('The value of `preset` in a metric request.'),
  name: text('Display name.'),
  description: text('What the preset computes, and how this differs from the published statistic.'),
  source: record(
    { authority: text('Who publishes the statistic.'), document: text('Where it is defined.') },
    { description: 'The publication that defines the statistic.' },
  ),
  read: text('The members of a point that have the statistic.'),
  metrics: listOf(text('Key of a metric that you may ask for with this preset.')),
  needs: listOf(text('A field that the request must have itself.')),
  fields: { type: 'object', description: 'The fields that the preset fills, as in a request.' },
})

const named = (keys: readonly string[], properties: Readonly<Record<string, Schema>> = {}): Schema => ({
  properties: { preset: { enum: keys }, ...properties },
  required: ['preset', ...Object.keys(properties)],
})

/**
 * Returns schemas of requests that contradict their preset: requests with a metric that the preset is not for, without a field
 * that the preset needs, or without the percentiles that the preset names.
 */
export function presetContradictions(metrics: readonly MetricDefinition[]): readonly Schema[] {
  const others = presets.map((one) => {
    const ofPreset = metricsOf(one, metrics)
    return { allOf: [named([one.key]), asksFor(metrics.filter((metric) => !ofPreset.includes(metric)))] }
  })
  const incomplete = presets
    .filter(({ needs }) => needs.length > 0)
    .map(({ key, needs }) => ({
      allOf: [
        named([key]),
        { not: { properties: Object.fromEntries(needs.map((name) => [name, { type: 'object' }])), required: needs } },
      ],
    }))
  const withLevels = presets.filter(({ fields }) => fields.percentileLevels !== undefined).map(({ key }) => key)
  return [
    ...others,
    ...incomplete,
    named(withLevels, { percentiles: { const: 'none' } }),
    named(withLevels, { fields: { type: 'array', not: { contains: { const: 'percentiles' } } } }),
  ]
}
