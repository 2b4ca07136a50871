import { aggregations } from '../../catalog/aggregations.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { exportFormats } from '../../catalog/export-formats.ts'
import { filtersMax, filterTypes, valueLengthMax, valuesMax } from '../../check/metric/metric-filters.ts'
import { percentileChoices, splitsMax } from '../../check/metric/metric-request.ts'
import { agentSelector, metadataChange } from './metadata-schemas.ts'
import { flag, listOf, orNull, record, reference, text, type RecordSchema, type Schema } from './schema.ts'

/** What callers may send; an optional field may be null, which is as if it were absent. Tests compare each with what the checks really take. */
export const requestSchemas = (catalog: Catalog): Record<string, Schema> => ({
  MetricRequest: metricRequest(catalog),
  Filter: filter,
  PanelSelection: panelSelection,
  TestDataRequest: testDataRequest(catalog),
  MetricExportRequest: withFormat(metricRequest(catalog)),
  TestDataExportRequest: withFormat(testDataRequest(catalog)),
  MetadataChange: metadataChange,
  AgentSelector: agentSelector,
})

/** The same request for a file. */
const withFormat = (schema: RecordSchema): Schema => ({
  ...schema,
  properties: {
    ...schema.properties,
    format: orNull(text('Of the file.', { enum: exportFormats.map(({ key }) => key), default: 'csv' })),
  },
})

const panelSelection: Schema = {
  description: 'Key of a panel, or a list of keys. Left out: every panel you can read.',
  anyOf: [{ type: 'string' }, listOf({ type: 'string' }, { minItems: 1 })],
}

const localTime = (which: string): Schema =>
  text(
    `${which}, in the local time of each agent: \`YYYY-MM-DD HH:MM[:SS]\`, \`now\`, \`+x days\` or \`-x days\` (the clock of UTC, read as local), in letters of any case. Included.`,
    { pattern: String.raw`^(\d{4}-\d{2}-\d{2} \d{2}:\d{2}(:[0-5]\d)?|[nN][oO][wW]|[+-]\d{1,7} [dD][aA][yY][sS]?)$` },
  )

const aboutPercentiles =
  '`sketch`: within 1/128 of the `exact` ones, or of the larger neighbour where signs differ. `none`: neither median nor percentiles.'

const metricRequest = ({ metrics }: Catalog): RecordSchema =>
  record(
    {
      metric: text('A key of `GET /metrics`.', { enum: metrics.map(({ key }) => key) }),
      chartType: text('One row a result, or statistics.', { enum: ['raw', 'aggregate'] }),
      aggregation: orNull(
        text('How results are put together; needed for `aggregate`.', { enum: aggregations.map(({ key }) => key) }),
      ),
      normalised: flag('Every hour of the day counts the same, however many results it has.'),
      prefilter: flag('Leaves out results that are impossible or unreliable.'),
      splits: orNull(
        listOf(text('An id of `GET /splits`.'), {
          description: 'One series for every combination of values.',
          maxItems: splitsMax,
          uniqueItems: true,
        }),
      ),
      filters: orNull(listOf(reference('Filter'), { description: 'All of them must hold.', maxItems: filtersMax })),
      time: record({ from: localTime('Beginning'), to: localTime('End') }),
      panel: orNull(reference('PanelSelection')),
      agent_agg: orNull(flag('Only `false` is offered.', { enum: [false] })),
      percentiles: orNull(text(aboutPercentiles, { enum: [...percentileChoices], default: 'exact' })),
    },
    {
      optional: ['aggregation', 'splits', 'filters', 'panel', 'agent_agg', 'percentiles'],
      anyOf: [
        { properties: { chartType: { const: 'raw' } } },
        { properties: { aggregation: { type: 'string' } }, required: ['aggregation'] },
      ],
    },
  )

const filter = record({
  id: text('An id of `GET /filters`.'),
  filterType: {
    description: 'Keep only the values (`include`), or drop them (`exclude`). The others are names for the same.',
    enum: [...filterTypes.keys()],
  },
  filterValues: listOf(
    { type: ['string', 'integer'], maxLength: valueLengthMax },
    {
      description: 'Exact and with case; any one of them. Whole numbers only for `threads`, `ip_version` and `unit`.',
      minItems: 1,
      maxItems: valuesMax,
    },
  ),
})

const testDate = (which: string): Schema =>
  text(
    `${which}, UTC: \`YYYY-MM-DD\`, \`YYYYMMDD\`, \`YYYY-MM\`, \`YYYY\`, \`+x days\`, \`-x days\`, \`last|next|this <day name>\`, \`now\`.`,
  )

const testDataRequest = ({ tests }: Catalog): RecordSchema =>
  record(
    {
      test: text('A key of `GET /tests`.', { enum: tests.map(({ key }) => key) }),
      date: record({ from: testDate('First day'), to: testDate('Last day, included') }),
      panel: orNull(reference('PanelSelection')),
    },
    { optional: ['panel'] },
  )
