import { agentKinds } from '../../catalog/agent-kinds.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Column } from '../../catalog/columns.ts'
import { percentileKeys } from '../../compile/metric/statistics.ts'
import { warnings, warningSchema } from './warning-schema.ts'
import { flag, integer, listOf, number, orNull, record, reference, type Schema, text } from './schema.ts'

/** What answers hold. They are never checked while serving, only in tests: that would cost a quarter of the throughput. */
export const answerSchemas = (catalog: Catalog): Record<string, Schema> => ({
  MetricListEntry: metricListEntry,
  SplitListEntry: record(splitFields),
  FilterListEntry: record({
    ...splitFields,
    values: text('Where to look for values. Append it to the base address.'),
  }),
  AggregatedPoint: aggregatedPoint,
  RawPoint: rawPoint,
  AgentMetadata: record(metadataFields),
  TimelineSpan: record({
    from: orNull(text('First UTC day; null: since ever.', { format: 'date' })),
    to: orNull(text('Last UTC day, included; null: until further notice.', { format: 'date' })),
    ...metadataFields,
  }),
  ChangePreview: changePreview,
  IngestReport: ingestReport,
  Export: exportSchema,
  Warning: warningSchema,
  ...Object.fromEntries(
    catalog.tests.map((test) => [
      recordName(test.key),
      record({ ...commonColumns, ...columnsOf(test.columns) }, { description: test.description }),
    ]),
  ),
})

export const recordName = (test: string): string => `TestRecord_${test}`

const statistic = (description: string): Schema => orNull(number(description))

/** Any value of a dimension; one property for each split that was asked for, under its id. */
const splitValue: Schema = { type: ['string', 'integer', 'null'], description: 'Value of a split, under its id.' }

const aggregatedPoint = record(
  {
    metricValue: statistic('Mean of the results; for a ratio, of their sums.'),
    dtime: text('Start of the period: `YYYY-MM-DDTHH:MM:SS`, or `YYYY-MM-DD` from daily on.', {
      pattern: String.raw`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2})?$`,
    }),
    aggregatedNumber: integer('Hour 0–23, weekday 1–7 or day of the month 1–31.'),
    stdDev: statistic('Population standard deviation.'),
    sampleCount: integer('Number of results.'),
    agentCount: integer('Number of different agents.'),
    unitCount: integer('Number of different units.'),
    ci90: statistic('Half-width of the 90 % confidence interval; null for a single result.'),
    ci95: statistic('The same at 95 %.'),
    ci99: statistic('The same at 99 %.'),
    min: statistic('Smallest result.'),
    max: statistic('Largest result.'),
    median: statistic('The 50th percentile.'),
    percentiles: record(Object.fromEntries(percentileKeys.map((key) => [key, statistic(`Percentile ${key}.`)]))),
  },
  { optional: ['dtime', 'aggregatedNumber', 'median', 'percentiles'], additionalProperties: splitValue },
)

const rawPoint = record(
  {
    metricValue: number('Value of the result.'),
    dtime: text('Local time at which the test ended, `YYYY-MM-DDTHH:MM:SS`.', {
      pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$`,
    }),
    agent: orNull(text('Agent ID.')),
    unit: orNull(text('Unit ID.')),
  },
  { additionalProperties: splitValue },
)

const metricListEntry = record({
  key: text('`metric` of a metric request.'),
  unit: text('Unit of its values.'),
  name: text('For people.'),
  description: text('What it measures.'),
  test: text('Key of the test it comes from.'),
  higherIsBetter: flag('Whether more is better.'),
  aggregatedOnly: flag('Whether `chartType` cannot be `raw`.'),
  splits: listOf(text('Id of a split.')),
  filters: listOf(text('Id of a filter.')),
})

const splitFields = {
  id: text('As named in `splits` and `filters`.'),
  name: text('For people.'),
  type: text('Type of its values.', { enum: ['string', 'integer'] }),
  kinds: listOf(text('Kind of agent whose results have it.', { enum: agentKinds })),
  metrics: { ...listOf(text('Key of a metric.')), type: ['array', 'null'], description: 'Null: all metrics.' },
}

const metadataFields = {
  package: orNull(text('`<isp name>:<package name>`')),
  isp: orNull(text('Name of the ISP.')),
  timezone: orNull(text('IANA zone.')),
  custom: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
}

const changePreview = record({
  matched: integer('How many agents the change means.'),
  sample: listOf(
    record({
      agent_id: text('Agent ID.'),
      unit_id: orNull(integer('Unit ID.')),
      before: reference('AgentMetadata'),
      after: reference('AgentMetadata'),
    }),
  ),
})

const ingestReport = record({
  accepted: integer('Rows that are stored.'),
  duplicates: integer('Rows that repeat another one of the body.'),
  rejected: integer('Rows that cannot be stored.'),
  batch: text('Name of the body, made of its content.'),
  rejections: listOf(
    record({
      reason: text('What is wrong.'),
      column: text('With which column; empty when with none in particular, or with one of too many.'),
      rows: integer('How many rows.'),
      kept_rows: integer('How many of them, the first ones, are kept for the operator to look up.'),
      first_row: integer('The first of them, counted from one.'),
    }),
  ),
})

const commonColumns = {
  base: orNull(text('Device model.')),
  ddate: text('Day of the test, UTC.', { format: 'date' }),
  dtime: text('End of the test, UTC: `YYYY-MM-DD HH:MM:SS.mmm`.'),
  agent_id: orNull(text('Agent ID.')),
  unit_id: orNull(integer('Unit ID.')),
}

const columnsOf = (columns: readonly Column[]): Record<string, Schema> =>
  Object.fromEntries(
    columns.map(({ name, type, unit, description }) => [
      name,
      orNull((type === 'text' ? text : integer)(unit === null ? description : `${description} (${unit})`)),
    ]),
  )

const exportSchema = record(
  {
    id: text('Of the export.', { format: 'uuid' }),
    status: text('How far it is.', { enum: ['queued', 'running', 'complete', 'failed'] }),
    url: orNull(text('Link to the file, good for an hour; null until it is complete.', { format: 'uri' })),
    status_url: text('Where to ask again. Append it to the base address.'),
    rows: orNull(integer('Rows of the file, counted by reading it back.')),
    bytes: orNull(integer('Size of the file.')),
    expires_at: text('When the file is removed.', { format: 'date-time' }),
    progress: number('While running, by the rows the engine has read; the last tenth is reading the file back.', {
      minimum: 0,
      maximum: 1,
    }),
    failure: text('What to do, when it has failed.'),
    warnings,
  },
  { optional: ['progress', 'failure', 'warnings'] },
)
