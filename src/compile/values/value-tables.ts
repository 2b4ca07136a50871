import { identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import {
  columnDeclaration,
  shardTable,
  tableEngine,
  type FactLayout,
  type StoredColumn,
  plainColumn,
} from '../schema/fact-table.ts'

/** A table of what facts say, on each node for its own facts; under its own name, over all of them. */
export type ValueTable = {
  readonly name: string
  readonly columns: readonly StoredColumn[]
  readonly indexes?: readonly Sql[]
  readonly order: Sql
  readonly comment: string
}

/**
 * The distinct values of columns that metric data can be filtered by. Sorted by the value in lower case: a list of them is
 * the first rows of a range, whichever panels and tests it is for.
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
  // Whoever has few values among many of others skips theirs.
  indexes: [sql`INDEX panels panel TYPE set(100) GRANULARITY 1`],
  order: sql`(column, folded, value, panel, test)`,
  comment: 'Distinct values of facts, for the values of filters.',
}

/** How far the facts of a node have been gone through. */
export const notedFacts: ValueTable = {
  name: 'noted_facts',
  columns: [
    plainColumn('node', sql`UInt16`, 'Place of the node in BROADGAUGE_CLICKHOUSE_URL.'),
    plainColumn('test', sql`LowCardinality(String)`, 'Key of the test.'),
    plainColumn('columns', sql`String`, 'Columns whose values were noted.'),
    plainColumn('upto', sql`DateTime64(3, 'UTC')`, 'Facts ingested before are noted.'),
  ],
  order: sql`(test, columns, node)`,
  comment: 'Until when facts have been gone through for fact_values.',
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

/** For reading only: every node writes what it finds at home. */
export function createDistributedValueTable({ name }: ValueTable, database: string, cluster: string): Sql {
  return sql`CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(name)}
AS ${identifier(database)}.${identifier(shardTable(name))}
ENGINE = Distributed(${literal(cluster)}, ${literal(database)}, ${literal(shardTable(name))})`
}

/** Where a node keeps its own rows. */
export const rowsTable = (name: string, isSingle: boolean): string => (isSingle ? name : shardTable(name))
