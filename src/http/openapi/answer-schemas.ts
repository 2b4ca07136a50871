import { filterTypes } from '../../catalog/filter-types.ts'
import { agentKinds } from '../../catalog/agent-kinds.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Column } from '../../catalog/columns.ts'
import { cautions, pointFields } from '../../catalog/point-fields.ts'
import { comparison } from './compare-schemas.ts'
import { histogramOfPoint, percentilesByLevel } from './points/distribution-schemas.ts'
import { meta } from './points/meta-schema.ts'
import { presetListEntry } from './points/preset-schemas.ts'
import { coverage, prefilterEffect, queryEstimate } from './explanation-schemas.ts'
import { warnings, warningSchema } from './warning-schema.ts'
import { flag, integer, listOf, number, orNull, record, reference, type Schema, text } from './schema.ts'

/**
 * Schemas of the responses. Only tests validate responses against them: in production that would reduce the throughput by a
 * quarter.
 */
export const answerSchemas = (catalog: Catalog): Record<string, Schema> => ({
  MetricListEntry: metricListEntry,
  SplitListEntry: record(splitFields),
  FilterListEntry: record({
    ...splitFields,
    values: text('Path of the list of values. Append it to the base address.'),
    filterTypes: listOf(text('A choice of `filterType`.', { enum: [...filterTypes] })),
  }),
  AggregatedPoint: aggregatedPoint,
  PrefilterEffect: prefilterEffect,
  Coverage: coverage,
  Comparison: comparison,
  QueryEstimate: queryEstimate,
  RawPoint: rawPoint,
  AgentMetadata: record(metadataFields),
  TimelineSpan: record({
    from: orNull(text('First UTC day of the span; null if the span has no beginning.', { format: 'date' })),
    to: orNull(text('Last UTC day of the span; null if the span has no end.', { format: 'date' })),
    ...metadataFields,
  }),
  ChangePreview: changePreview,
  IngestReport: ingestReport,
  Export: exportSchema,
  Warning: warningSchema,
  Meta: meta,
  PresetListEntry: presetListEntry,
  ...Object.fromEntries(
    catalog.tests.map((test) => [
      recordName(test.key),
      record({ ...commonColumns, ...columnsOf(test.columns) }, { description: test.description }),
    ]),
  ),
})

export const recordName = (test: string): string => `TestRecord_${test}`

const statistic = (description: string): Schema => orNull(number(description))

/** Schema of a split value. A point has one property per requested split; its name is the split's id. */
const splitValue: Schema = { type: ['string', 'integer', 'null'], description: 'Value of the split with this id.' }

/** What points about agents have in addition. */
const agentMembers = {
  reachingShare: statistic('Percentage of the agents that reach the threshold of `reaching`.'),
  reachingLow: statistic('Lower bound of the exact 95 % interval of `reachingShare` (Clopper and Pearson).'),
  reachingHigh: statistic('Upper bound of the interval of `reachingShare`.'),
  reachingAgents: integer('Number of agents that reach the threshold.'),
  agentsBelowMinimum: integer('Number of agents that are left out because they have too few results.'),
}

const aggregatedPoint = record(
  {
    metric: text('Key of the metric of the point. Present if the request has `metrics`.'),
    metricValue: statistic('Mean of the results. For a ratio (`%`): the ratio of the sums.'),
    dtime: text('Start of the period: `YYYY-MM-DDTHH:MM:SS`, or `YYYY-MM-DD` for whole days.', {
      pattern: String.raw`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2})?$`,
    }),
    aggregatedNumber: integer('Hour (0–23), day of the week (1 is Monday) or day of the month.'),
    stdDev: statistic('Population standard deviation.'),
    sampleCount: integer('Number of results.'),
    agentCount: integer('Number of different agents.'),
    unitCount: integer('Number of different units.'),
    ci90: statistic('Half-width of the 90 % confidence interval of `metricValue`; null for a single agent.'),
    ci95: statistic('Half-width of the 95 % confidence interval of `metricValue`.'),
    ci99: statistic('Half-width of the 99 % confidence interval of `metricValue`.'),
    min: statistic('Smallest result.'),
    max: statistic('Largest result.'),
    median: statistic('The 50th percentile.'),
    percentiles: percentilesByLevel('Percentiles', statistic('Percentile.')),
    standardError: statistic('Standard error of `metricValue`; it treats the agents as independent.'),
    effectiveAgents: statistic('Effective number of agents: (Σw)² / Σw², where w is the weight of an agent.'),
    degreesOfFreedom: statistic('Degrees of freedom of the intervals, not rounded.'),
    largestAgentShare: statistic('Share of the total weight that the agent with the largest weight has, from 0 to 1.'),
    designEffect: statistic('Variance by agents, divided by the variance if all results were independent.'),
    effectiveSampleSize: statistic('`sampleCount` divided by `designEffect`.'),
    percentileIntervals: percentilesByLevel(
      '95 % intervals of the percentiles',
      listOf(statistic('Lower or upper bound.'), { minItems: 2, maxItems: 2 }),
    ),
    histogram: histogramOfPoint,
    ...agentMembers,
    other: flag('The point contains the results of all series that `top` leaves out. Its splits are null.', {
      const: true,
    }),
    partial: flag('The range contains only a part of the period, or the period has not ended for every agent.', {
      const: true,
    }),
    resultsWithoutPlan: integer(
      'Number of results that are left out because the speed of the package is unknown. Present with `relativeTo`.',
    ),
    prefilter: reference('PrefilterEffect'),
    coverage: reference('Coverage'),
    comparison: orNull(reference('Comparison')),
    caution: listOf(text('Reason why the intervals may be too narrow.', { enum: [...cautions] }), { minItems: 1 }),
  },
  {
    optional: [
      'metric',
      'dtime',
      'aggregatedNumber',
      ...pointFields,
      'standardError',
      'effectiveAgents',
      'degreesOfFreedom',
      'largestAgentShare',
      'designEffect',
      'effectiveSampleSize',
      'percentileIntervals',
      'histogram',
      'resultsWithoutPlan',
      ...Object.keys(agentMembers),
      'prefilter',
      'coverage',
      'comparison',
      'other',
      'partial',
      'caution',
    ],
    additionalProperties: splitValue,
  },
)

const rawPoint = record(
  {
    metricValue: number('Value of the result.'),
    dtime: text('Local time at which the test ended, `YYYY-MM-DDTHH:MM:SS`.', {
      pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$`,
    }),
    agent: orNull(text('Agent ID.')),
    unit: orNull(text('Unit ID.')),
    removedBy: listOf(text('Name of a rule of the prefilter that matches the result.'), {
      description: 'Present if the request includes `prefilter`. The prefilter keeps a result if the list is empty.',
    }),
  },
  { optional: ['removedBy'], additionalProperties: splitValue },
)

const metricListEntry = record({
  key: text('Value of `metric` in requests.'),
  unit: text('Unit of the values.'),
  name: text('Display name of the metric.'),
  description: text('What the metric measures.'),
  test: text('Key of the test that the metric is computed from.'),
  higherIsBetter: orNull(flag('Whether a larger value is better; null if neither larger nor smaller is better.')),
  aggregatedOnly: flag('True if the metric has no raw points.'),
  pools: {
    ...listOf(text('Id of a split.')),
    description: 'Splits whose values a point pools, unless the request splits or filters by them.',
  },
  splits: listOf(text('Id of a split.')),
  filters: listOf(text('Id of a filter.')),
})

const splitFields = {
  id: text('Id for `splits` and `filters` in requests.'),
  name: text('Display name.'),
  type: text('Type of the values.', { enum: ['string', 'integer'] }),
  kinds: listOf(text('Kind of agent whose results have values.', { enum: agentKinds })),
  metrics: { ...listOf(text('Key of a metric.')), type: ['array', 'null'], description: 'Null means all metrics.' },
}

const metadataFields = {
  package: orNull(text('ISP and package: `<isp name>:<package name>`.')),
  isp: orNull(text('Name of the ISP.')),
  timezone: orNull(text('IANA name of the time zone.')),
  custom: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
}

const changePreview = record({
  matched: integer('Number of agents that match the selector.'),
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
  accepted: integer('Number of rows of the body that are stored.'),
  duplicates: integer('Number of rows that repeat an earlier row of the body.'),
  rejected: integer('Number of rows that the service cannot store.'),
  batch: text('Id of the body, computed from the content of the body.'),
  rejections: listOf(
    record({
      reason: text('Code of the reason, such as `unknown_agent`.'),
      column: text('Column with the error. Empty if no single column has it, or if the entry sums up several.'),
      rows: integer('Number of rows with this reason.'),
      kept_rows: integer('Number of these rows that the operator can look up.'),
      first_row: integer('Position of the first of these rows in the body, counted from one.'),
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
    id: text('Id of the export.', { format: 'uuid' }),
    status: text('State of the export.', { enum: ['queued', 'running', 'complete', 'failed'] }),
    url: orNull(text('Link to the file, valid for one hour; null unless the export is complete.', { format: 'uri' })),
    status_url: text('Path of the state of the export. Append it to the base address.'),
    rows: orNull(integer('Number of rows, counted by reading the finished file.')),
    bytes: orNull(integer('Size of the file in bytes.')),
    expires_at: text('Time at which the service removes the file.', { format: 'date-time' }),
    progress: number('Progress while the export is running. From 0.9 on, the service reads the file back.', {
      minimum: 0,
      maximum: 1,
    }),
    failure: text('What you can do. Present if the export has failed.'),
    warnings,
  },
  { optional: ['progress', 'failure', 'warnings'] },
)
