import { aggregations } from '../../../catalog/aggregations.ts'
import { agentStatistics, inclusions, intervalKinds, pointFields } from '../../../catalog/point-fields.ts'
import { presets } from '../../../catalog/presets/index.ts'
import { queryParameters } from '../../../check/metric/query-string.ts'
import { splitsMax } from '../../../check/metric/metric-request.ts'
import { percentileChoices } from '../../../check/metric/point-statistics.ts'
import { relativeToChoices } from '../../../check/metric/relative-to.ts'
import { query } from '../operation.ts'
import { listOf, type Schema } from '../schema.ts'

const types = { text: 'string', number: 'number', flag: 'boolean', order: 'string', keys: 'string' } as const

/** What the parameters have beyond their types. */
const restrictions = (metrics: readonly string[]): Readonly<Record<string, Schema>> => ({
  metric: { enum: [...metrics] },
  metrics: { enum: [...metrics] },
  preset: { enum: presets.map(({ key }) => key) },
  chartType: { enum: ['raw', 'aggregate'], default: 'aggregate' },
  aggregation: { enum: aggregations.map(({ key }) => key) },
  normalised: { default: false },
  prefilter: { default: true },
  percentiles: { enum: [...percentileChoices] },
  intervals: { enum: [...intervalKinds] },
  relativeTo: { enum: [...relativeToChoices] },
  field: { enum: [...pointFields] },
  include: { enum: [...inclusions] },
  'perAgent.statistic': { enum: [...agentStatistics] },
})

const required = new Set(['from', 'to'])

/** The parameters of `GET /metric_data`. The names of filters contain the ids of dimensions, so they are one object. */
export const queryStringParameters = (metrics: readonly string[]): readonly Schema[] => [
  ...[...queryParameters].map(([name, { path, kind, isList }]): Schema => {
    const schema = { type: types[kind], ...restrictions(metrics)[name] }
    const list = listOf(schema, name === 'split' ? { maxItems: splitsMax } : {})
    return {
      ...query(name, `\`${path.join('.')}\` of the body.`, isList ? list : schema),
      ...(required.has(name) ? { required: true } : {}),
      // The values are separated by commas.
      ...(kind === 'keys' ? { style: 'form', explode: false } : {}),
    }
  }),
  {
    ...query(
      'filters',
      'Parameters such as `filter.isp=Acme`, `filter.isp.exclude=Acme` and `compare.filter.isp=Acme`, each of which may be repeated, and conditions on points such as `having.agentCount.atLeast=30`.',
      {
        type: 'object',
        propertyNames: { pattern: String.raw`^((compare\.)?filter|having)\..` },
        additionalProperties: listOf({ type: 'string' }),
      },
    ),
    style: 'form',
    explode: true,
  },
]
