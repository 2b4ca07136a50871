import { boundName, identifier, join, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import { answerStatement } from '../metric/answer/answer-statement.ts'
import { type Cell, type Content, rawPoints } from '../metric/raw-points.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'
import { type FlatColumn, flatColumns } from './flat-columns.ts'
import { compileTestRecords, type RecordsRequest } from '../metric/test-records.ts'

/** A column of a file. `value` is an expression over the rows of the statement for the JSON response. */
type FileColumn = { readonly id: string; readonly content: Content; readonly value: Sql }

/** Selects the rows of an export: the rows of the JSON response, in the same order, with one column per cell. */
export function metricExportRows(database: string, plan: MetricPlan, cell: Cell): Sql {
  const { aggregation } = plan
  return aggregation === null ? rawPoints(database, plan, cell).query : pointRows(database, plan, aggregation, cell)
}

/** Selects the rows of a streamed response. `cell` is null if the format has JSON values. */
export const rawResponseRows = (database: string, plan: MetricPlan, cell: Cell | null): Sql =>
  (cell === null ? rawPoints(database, plan) : rawPoints(database, plan, cell)).query

export const testResponseRows = (database: string, request: RecordsRequest, cell: Cell | null): Sql =>
  cell === null
    ? compileTestRecords(request, database).query
    : testExportRows(database, request, request.storedBefore, cell)

export function testExportRows(
  database: string,
  request: RecordsRequest,
  storedBefore: Temporal.Instant | undefined,
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
  const { columns, query } = answerStatement(database, plan, aggregation, null)
  const files = flatColumns(plan, columns).map((column): FileColumn => {
    const name = identifier(columns[column.index] ?? '')
    const value = column.member === undefined ? name : sql`${name}[${numberLiteral(Number(column.member) + 1)}]`
    return { id: column.id, ...cellOf(column, value) }
  })
  return flatRows(files, query, cell)
}

function cellOf({ kind, isNullIfEmpty }: FlatColumn, value: Sql): Omit<FileColumn, 'id'> {
  // A list as JSON text. An empty list is null.
  if (isNullIfEmpty) return { content: 'label', value: sql`if(empty(${value}), NULL, toJSONString(${value}))` }
  return { content: kind === 'number' || kind === 'list' || kind === 'text' ? kind : 'label', value }
}

const flatRows = (columns: readonly FileColumn[], query: Sql, cell: Cell): Sql => sql`SELECT
  ${join(
    columns.map(({ id, content, value }) => sql`${cell(content, value)} AS ${boundName(id)}`),
    ',\n  ',
  )}
FROM (
${query}
)`
