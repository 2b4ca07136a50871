import { boundName, identifier, join, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import { pointStatement } from '../metric/aggregate.ts'
import { type Cell, type Content, contentOf, rawPoints } from '../metric/raw-points.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'
import { percentileKeys } from '../metric/distribution/percentile-levels.ts'
import { compileTestRecords, type RecordsRequest } from '../metric/test-records.ts'

/** A column of a file. `value` is an expression over the rows of the statement for the JSON response. */
type FileColumn = { readonly id: string; readonly content: Content; readonly value: Sql }

/** Selects the rows of an export: the rows of the JSON response, in the same order, with one column per cell. */
export function metricExportRows(database: string, plan: MetricPlan, cell: Cell): Sql {
  const { aggregation } = plan
  return aggregation === null ? rawPoints(database, plan, cell).query : pointRows(database, plan, aggregation, cell)
}

export function testExportRows(
  database: string,
  request: RecordsRequest,
  storedBefore: Temporal.Instant,
  cell: Cell,
): Sql {
  const texts = new Set(['base', 'agent_id', ...request.test.columns.filter(isText).map(({ name }) => name)])
  const { columns, query } = compileTestRecords(request, database, storedBefore)
  const fileColumns = columns.map((id): FileColumn => ({
    id,
    content: texts.has(id) ? 'text' : 'label',
    value: identifier(id),
  }))
  return flatRows(fileColumns, query, cell)
}

const isText = ({ type }: { type: string }): boolean => type === 'text'

/**
 * Formats the values in an outer SELECT. The inner statement sorts by the splits, and sorting by formatted splits could give
 * another order.
 */
function pointRows(database: string, plan: MetricPlan, aggregation: Aggregation, cell: Cell): Sql {
  const { columns, query } = pointStatement(database, plan, aggregation, null)
  const splits = plan.splits.map(({ id, source }, index): FileColumn => ({
    id,
    content: contentOf(source),
    value: identifier(columns[index] ?? ''),
  }))
  const own = columns.slice(splits.length)
  const cellsOf = (name: string) => pointColumns(plan, name)
  const statistics = own.filter((name) => !lastColumns.includes(name))
  const last = lastColumns.filter((name) => own.includes(name))
  return flatRows([...statistics.flatMap(cellsOf), ...splits, ...last.flatMap(cellsOf)], query, cell)
}

/** The columns that qualify a point are after the splits, so that the columns before them keep their places. */
const lastColumns = ['resultsWithoutPlan', 'partial', 'caution']

function pointColumns(plan: MetricPlan, name: string): FileColumn[] {
  if (name === 'percentiles') {
    return percentileKeys(plan).map((key, index) => ({
      id: `percentile_${key}`,
      content: 'number',
      value: sql`percentiles[${numberLiteral(index + 1)}]`,
    }))
  }
  if (name === 'percentileIntervals') {
    return percentileKeys(plan).map((key, index) =>
      jsonColumn(`${name}_${key}`, sql`percentileIntervals[${numberLiteral(index + 1)}]`),
    )
  }
  if (name === 'histogram_edges' || name === 'histogram_counts') {
    return [{ id: name, content: 'list', value: identifier(name) }]
  }
  if (name === 'caution' || name === 'prefilter_rules') return [jsonColumn(name, identifier(name))]
  const content = labels.has(name) ? 'label' : 'number'
  return [{ id: name, content, value: identifier(name) }]
}

/** A list as JSON text. An empty list is null. */
const jsonColumn = (id: string, list: Sql): FileColumn => ({
  id,
  content: 'label',
  value: sql`if(empty(${list}), NULL, toJSONString(${list}))`,
})

const labels = new Set([
  'dtime',
  'aggregatedNumber',
  'sampleCount',
  'agentCount',
  'unitCount',
  'agentsBelowMinimum',
  'histogram_below',
  'histogram_above',
  'prefilter_before',
  'prefilter_removed',
  'prefilter_agentsLost',
  'coverage_agentsOfRange',
  'coverage_agentsSeen',
  'coverage_agentsGone',
  'coverage_blocksSeen',
  'coverage_blocksExpected',
  'coverage_newestStored',
  'resultsWithoutPlan',
  'partial',
])

const flatRows = (columns: readonly FileColumn[], query: Sql, cell: Cell): Sql => sql`SELECT
  ${join(
    columns.map(({ id, content, value }) => sql`${cell(content, value)} AS ${boundName(id)}`),
    ',\n  ',
  )}
FROM (
${query}
)`
