import { boundName, identifier, join, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import { pointStatement } from '../metric/aggregate.ts'
import { type Cell, type Content, contentOf, rawPoints } from '../metric/raw-points.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'
import { percentileKeys, percentilePositions } from '../metric/statistics.ts'
import { compileTestRecords, type RecordsRequest } from '../metric/test-records.ts'

/** A column of a file: its name, and where it stands in the rows of the statement that JSON is made of. */
type FileColumn = { readonly id: string; readonly content: Content; readonly value: Sql }

/** The rows of an export: those of the JSON answer, in its order, one cell a column. */
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

/** One more level: the statement orders by the splits, and a cell that is written otherwise would be ordered otherwise. */
function pointRows(database: string, plan: MetricPlan, aggregation: Aggregation, cell: Cell): Sql {
  const { columns, query } = pointStatement(database, plan, aggregation, null)
  const splits = plan.splits.map(({ id, source }, index): FileColumn => ({
    id,
    content: contentOf(source),
    value: identifier(columns[index] ?? ''),
  }))
  return flatRows([...columns.slice(splits.length).flatMap(pointColumns), ...splits], query, cell)
}

function pointColumns(name: string): FileColumn[] {
  if (name === 'percentiles') {
    return percentileKeys.map((key, index) => ({
      id: `percentile_${key}`,
      content: 'number',
      value: sql`percentiles[${percentilePositions[index] ?? sql``}]`,
    }))
  }
  const content = labels.has(name) ? 'label' : 'number'
  return [{ id: name, content, value: identifier(name) }]
}

const labels = new Set(['dtime', 'aggregatedNumber', 'sampleCount', 'agentCount', 'unitCount'])

const flatRows = (columns: readonly FileColumn[], query: Sql, cell: Cell): Sql => sql`SELECT
  ${join(
    columns.map(({ id, content, value }) => sql`${cell(content, value)} AS ${boundName(id)}`),
    ',\n  ',
  )}
FROM (
${query}
)`
