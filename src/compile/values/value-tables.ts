import { identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import {
  columnDeclaration,
  shardTable,
  tableEngine,
  type FactLayout,
  type StoredColumn,
  plainColumn,
} from '../schema/fact-table.ts'

/** A table with data about results. Each node has a table for its own results; the Distributed table covers all nodes. */
export type ValueTable = {
  readonly name: string
  readonly columns: readonly StoredColumn[]
  readonly indexes?: readonly Sql[]
  readonly order: Sql
  readonly comment: string
}

/**
 * The distinct values of the columns that metric data can be filtered by. The table is sorted by the value in lower case. So
 * the values that begin with a text are one range, for any panels and tests.
 */
export const factValues: ValueTable = {
  name: 'fact_values',
  columns: [
    plainColumn('column', sql`LowCardinality(String)`, 'The column of the facts.'),
    plainColumn('folded', sql`String`, 'The value in lower case.'),
    plainColumn('value', sql`String`, 'The value; of a number its digits.'),
    plainColumn('panel', sql`UInt32`, 'Number of the panel it occurs in.'),
    plainColumn('test', sql`LowCardinality(String)`, 'Key of the test it occurs in.'),
  ],
  // Lets ClickHouse skip the granules that contain no values of the caller's panels.
  indexes: [sql`INDEX panels panel TYPE set(100) GRANULARITY 1`],
  order: sql`(column, folded, value, panel, test)`,
  comment: 'Distinct values of facts, for the values of filters.',
}

/** The time until which the job has scanned the results of a node. */
export const scannedFacts: ValueTable = {
  name: 'scanned_facts',
  columns: [
    plainColumn('node', sql`UInt16`, 'Place of the node in BROADGAUGE_CLICKHOUSE_URL.'),
    plainColumn('test', sql`LowCardinality(String)`, 'Key of the test.'),
    plainColumn('columns', sql`String`, 'Columns whose values are recorded.'),
    plainColumn('upto', sql`DateTime64(3, 'UTC')`, 'Facts ingested before this time are scanned.'),
  ],
  order: sql`(test, columns, node)`,
  comment: 'Progress of the scan of facts for fact_values.',
}

export function createValueTable(
  { name, columns, indexes = [], order, comment }: ValueTable,
  database: string,
  layout: FactLayout,
): Sql {
  const table = rowsTable(name, layout === 'single')
  return sql`CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(table)} (
  ${join([...columns.map(columnDeclaration), ...indexes], ',\n  ')}
)
ENGINE = ${tableEngine(database, table, layout, sql`ReplacingMergeTree`)}
ORDER BY ${order}
COMMENT ${literal(comment)}`
}

/** A Distributed table, for reading only: each node writes its own values to its own table. */
export function createDistributedValueTable({ name }: ValueTable, database: string, cluster: string): Sql {
  return sql`CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(name)}
AS ${identifier(database)}.${identifier(shardTable(name))}
ENGINE = Distributed(${literal(cluster)}, ${literal(database)}, ${literal(shardTable(name))})`
}

/** The name of the table that contains a node's own rows. */
export const rowsTable = (name: string, isSingle: boolean): string => (isSingle ? name : shardTable(name))
