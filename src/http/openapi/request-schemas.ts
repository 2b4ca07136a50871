import { aggregations } from '../../catalog/aggregations.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { exportFormats } from '../../catalog/export-formats.ts'
import { responseFormats } from '../../catalog/response-formats.ts'
import { inclusions, intervalKinds, pointFields } from '../../catalog/point-fields.ts'
import { hoursOfDay, weekdays } from '../../catalog/local-window.ts'
import { isComparable } from '../../check/metric/compare.ts'
import { splitsMax } from '../../check/metric/metric-request.ts'
import { percentileChoices } from '../../check/metric/point-statistics.ts'
import { relativeToChoices } from '../../check/metric/relative-to.ts'
import { compareSchema, contradictionsOfCompare } from './compare-schemas.ts'
import { filters, filterSchema } from './points/filter-schemas.ts'
import { absentOfRaw, contradictions, contradictionsOfFiles, perAgent, reaching } from './per-agent-schemas.ts'
import { histogram, levelsWithoutPercentiles, percentileLevels } from './points/distribution-schemas.ts'
import { asksFor, contradictionsOfMetrics, metricFields } from './points/metrics-schemas.ts'
import { preset, presetContradictions } from './points/preset-schemas.ts'
import {
  afterWithoutLimit,
  contradictionsOfTotals,
  pageFields,
  pointSelection,
  totals,
  withoutSelection,
} from './points/selection-schemas.ts'
import { testDataRequest } from './points/test-data-schema.ts'
import { topWithoutSplits } from './points/top-schema.ts'
import { agentSelector, metadataChange } from './metadata-schemas.ts'
import {
  absent,
  flag,
  has,
  integer,
  listOf,
  orNull,
  record,
  reference,
  text,
  type RecordSchema,
  type Schema,
} from './schema.ts'

/**
 * Schemas of request bodies. An optional field that is null counts as absent. Tests compare each schema with what `check/`
 * accepts.
 */
export const requestSchemas = (catalog: Catalog): Record<string, Schema> => ({
  MetricRequest: withFormat(metricRequest(catalog, [metaWithoutPlace, afterWithoutLimit]), responseFormat),
  Filter: filterSchema,
  PerAgent: perAgent,
  Reaching: reaching,
  Compare: compareSchema(localTime),
  Histogram: histogram,
  PanelSelection: panelSelection,
  TestDataRequest: { ...withFormat(testDataRequest(catalog, pageFields), responseFormat), not: afterWithoutLimit },
  MetricExportRequest: withFormat(metricRequest(catalog, contradictionsOfFiles), fileFormat),
  TestDataExportRequest: withFormat(testDataRequest(catalog), fileFormat),
  MetadataChange: metadataChange,
  AgentSelector: agentSelector,
})

/** The schema of the same request with a `format`. */
const withFormat = (schema: RecordSchema, format: Schema): Schema => ({
  ...schema,
  properties: { ...schema.properties, format: orNull(format) },
})

const fileFormat = text('Format of the file.', { enum: exportFormats.map(({ key }) => key), default: 'csv' })

/** The schema is the same for the body and for the parameter of the query string. */
export const responseFormat = text('Format of the response. Without it, `Accept` decides.', {
  enum: responseFormats.map(({ key }) => key),
})

/** Some formats have no place for `meta`. */
const metaWithoutPlace: Schema = {
  allOf: [
    has('format', { enum: responseFormats.filter(({ hasMeta }) => !hasMeta).map(({ key }) => key) }),
    { anyOf: [has('include', { type: 'array', contains: { const: 'meta' } }), has('totals', { const: true })] },
  ],
}

const panelSelection: Schema = {
  description: 'Key of a panel, or a list of keys. Default: every panel that you can read.',
  anyOf: [{ type: 'string' }, listOf({ type: 'string' }, { minItems: 1 })],
}

const aboutTimes =
  'in the local time of each agent. The range includes this time. Forms: `YYYY-MM-DD` (the whole day) and `YYYY-MM-DD HH:MM[:SS]`; and forms whose UTC time the service uses as local time: `now`, `+x days` and `-x days` (case is ignored), `YYYY-MM-DDTHH:MM[:SS[.sss]]Z`, and milliseconds since 1970.'

const day = String.raw`\d{4}-\d{2}-\d{2}`
const timeForms = [
  String.raw`${day}( \d{2}:\d{2}(:[0-5]\d)?)?`,
  String.raw`${day}T\d{2}:\d{2}(:[0-5]\d(\.\d{1,9})?)?Z`,
  '[nN][oO][wW]',
  String.raw`[+-]\d{1,7} [dD][aA][yY][sS]?`,
  String.raw`\d{1,15}`,
]

const localTime = (which: string): Schema => ({
  description: `${which}, ${aboutTimes}`,
  anyOf: [
    { type: 'string', pattern: `^(${timeForms.join('|')})$` },
    { type: 'integer', minimum: -62_135_596_800_000, maximum: 253_402_300_799_999 },
  ],
})

const aboutPercentiles =
  '`sketch` percentiles differ from the `exact` ones by at most 1/128 of their value, or of the larger neighbour if two neighbouring values have different signs. With `none`, points have neither median nor percentiles.'

const aboutIntervals =
  'What `ci90`, `ci95` and `ci99` treat as independent: `agents`, or every single result (`results`), which gives intervals that are too narrow for most panels.'

const aboutWholePeriods =
  'Narrows `time` to the whole periods in it that have ended for every agent. Only for the aggregations from `hourly` to `quarterly`.'

const aboutEmptyBuckets =
  'Gives each series a point without results for every bucket of the range that has none. Not for raw points and `total`.'

const aboutRelativeTo =
  'With `plan`, each value is a percentage of the speed of the package that the agent had at the time of the result. Only for metrics of download and upload speeds.'

const numbersOf = (choices: readonly number[], description: string): Schema =>
  listOf(integer(description, { minimum: Math.min(...choices), maximum: Math.max(...choices) }), {
    minItems: 1,
    uniqueItems: true,
  })

const weekdayList = numbersOf(weekdays, 'A day of the week, from 1 (Monday) to 7 (Sunday).')
const hourList = numbersOf(hoursOfDay, 'An hour of the day, from 0 to 23.')

/** Either list may be missing, but not both. A missing list stands for every day or every hour. */
const window: Schema = {
  description:
    'Keeps only results of these days and hours, by the local clock of each agent. If the request splits or filters by `peak`, the window defines `peak` and does not filter.',
  anyOf: [
    record({ weekdays: weekdayList, hours: orNull(hourList) }, { optional: ['hours'] }),
    record({ weekdays: orNull(weekdayList), hours: hourList }, { optional: ['weekdays'] }),
    { type: 'null' },
  ],
}

/** The members of a request that only aggregated points have. */
const statistics = {
  fields: orNull(
    listOf(text('A statistic of a point.', { enum: [...pointFields] }), {
      description: 'The statistics of each point. Default: all. The service does not compute the others.',
      minItems: 1,
      uniqueItems: true,
    }),
  ),
  intervals: orNull(text(aboutIntervals, { enum: [...intervalKinds], default: 'agents' })),
  include: orNull(
    listOf(text('An addition to the response.', { enum: [...inclusions] }), {
      description:
        '`meta` adds a description of the response. `uncertainty` adds to each point the numbers that its intervals are computed from, and intervals of percentiles. `prefilter` adds what each rule of the prefilter excludes from each point; raw points then contain the excluded results, with the names of the rules. `coverage` adds how much of what the agents could have measured is in each point.',
      uniqueItems: true,
    }),
  ),
  wholePeriods: orNull(flag(aboutWholePeriods, { default: false })),
  emptyBuckets: orNull(flag(aboutEmptyBuckets, { default: false })),
}

/** Only a prefilter that is applied can be explained. */
const prefilterWithoutEffect: Schema = {
  properties: { prefilter: { const: false }, include: { type: 'array', contains: { const: 'prefilter' } } },
  required: ['include'],
}

/** Raw points have neither periods nor buckets nor totals. */
const withoutPeriods: Readonly<Record<string, Schema>> = {
  wholePeriods: { enum: [false, null] },
  emptyBuckets: { enum: [false, null] },
  totals: { enum: [false, null] },
}

/** A total has one point. */
const emptyTotal: Schema = {
  properties: { aggregation: { const: 'total' }, emptyBuckets: { const: true } },
  required: ['aggregation', 'emptyBuckets'],
}

/** Packages have a speed only for some metrics. */
const relativeWithoutPlan = (metrics: Catalog['metrics']): Schema => ({
  allOf: [has('relativeTo', { const: 'plan' }), asksFor(metrics.filter(({ plan }) => plan === undefined))],
})

const comparable = aggregations.filter(isComparable).map(({ key }) => key)

/** Combinations that no request can have. */
const contradictionsOf = (metrics: Catalog['metrics']): readonly Schema[] => [
  ...contradictionsOfMetrics,
  ...contradictionsOfTotals,
  prefilterWithoutEffect,
  relativeWithoutPlan(metrics),
  emptyTotal,
  ...topWithoutSplits,
  ...presetContradictions(metrics),
  ...levelsWithoutPercentiles,
  ...contradictions,
  ...contradictionsOfCompare(comparable),
]

const optionalFields = [
  'metric',
  'metrics',
  'preset',
  'aggregation',
  'splits',
  'filters',
  'panel',
  'agent_agg',
  'perAgent',
  'reaching',
  'percentiles',
  'percentileLevels',
  'histogram',
  'fields',
  'intervals',
  'include',
  'wholePeriods',
  'emptyBuckets',
  'totals',
  'relativeTo',
  'window',
  'compare',
  ...Object.keys(pointSelection),
]

const splits: Schema = orNull(
  listOf(text('An id of `GET /splits`.'), {
    description: 'The response has one series for every combination of values of the splits.',
    maxItems: splitsMax,
    uniqueItems: true,
  }),
)

const metricRequest = ({ metrics }: Catalog, refused: readonly Schema[] = []): RecordSchema =>
  record(
    {
      ...metricFields(metrics),
      preset,
      chartType: text('One point per result (`raw`), or statistics (`aggregate`).', { enum: ['raw', 'aggregate'] }),
      aggregation: orNull(
        text('How results are grouped. Required for `aggregate`.', { enum: aggregations.map(({ key }) => key) }),
      ),
      normalised: flag('If true, every hour of the day has the same weight, independent of its number of results.'),
      prefilter: flag('If true, the service excludes results that are impossible or unreliable.'),
      splits,
      filters,
      time: record({ from: localTime('Beginning of the range'), to: localTime('End of the range') }),
      panel: orNull(reference('PanelSelection')),
      relativeTo: orNull(text(aboutRelativeTo, { enum: [...relativeToChoices] })),
      agent_agg: orNull(flag('`true` is the same as `perAgent: {"statistic": "mean"}`.', { default: false })),
      perAgent: orNull(reference('PerAgent')),
      reaching: orNull(reference('Reaching')),
      percentiles: orNull(text(aboutPercentiles, { enum: [...percentileChoices], default: 'exact' })),
      percentileLevels,
      histogram: orNull(reference('Histogram')),
      ...statistics,
      window,
      compare: orNull(reference('Compare')),
      totals,
      ...pointSelection,
    },
    {
      optional: optionalFields,
      anyOf: [
        {
          properties: {
            chartType: { const: 'raw' },
            metrics: absent,
            preset: absent,
            fields: absent,
            intervals: absent,
            percentileLevels: absent,
            histogram: absent,
            include: orNull({ type: 'array', items: { const: 'prefilter' } }),
            ...withoutPeriods,
            ...absentOfRaw,
            compare: absent,
            ...withoutSelection,
          },
        },
        {
          properties: { chartType: { const: 'aggregate' }, aggregation: { type: 'string' } },
          required: ['aggregation'],
        },
      ],
      not: { anyOf: [...contradictionsOf(metrics), ...refused] },
    },
  )
