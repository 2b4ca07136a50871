import { identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import type { Column, ColumnType } from '../../catalog/columns.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { keptFor, wholeParts } from '../metric/retention.ts'

/** A column in ClickHouse. The name, type and codec are compared with `system.columns`. */
export type StoredColumn = { name: string; type: Sql; codec: Sql; comment: string; defaultValue?: Sql }

const storedType: Record<ColumnType, Sql> = {
  text: sql`String`,
  uint8: sql`UInt8`,
  uint16: sql`UInt16`,
  uint32: sql`UInt32`,
  int64: sql`Int64`,
}

/**
 * The first columns of every fact table. Rows are sorted by agent and time, so numbers and times change little from row to row,
 * and the codecs compress them well.
 */
const framing: readonly StoredColumn[] = [
  {
    name: 'panel',
    type: sql`UInt32`,
    codec: sql`ZSTD(1)`,
    comment: 'Number of the panel the result was ingested under.',
  },
  { name: 'agent', type: sql`UInt32`, codec: sql`Delta, ZSTD(1)`, comment: 'Number of the agent.' },
  {
    name: 'dtime',
    type: sql`DateTime64(3, 'UTC')`,
    codec: sql`Delta, ZSTD(1)`,
    comment: 'Time the test ended, UTC, to the millisecond.',
  },
]

const bookkeeping: readonly StoredColumn[] = [
  {
    name: 'ingested_at',
    type: sql`DateTime64(3, 'UTC')`,
    codec: sql`Delta, ZSTD(1)`,
    comment: 'Time the row was stored. Exports pin what they read by it.',
    defaultValue: sql`now64(3)`,
  },
]

export function storedColumns(test: TestDefinition): readonly StoredColumn[] {
  return [...framing, ...test.columns.map(storedColumn), ...bookkeeping]
}

/**
 * Where a node stores the rows of a test: in a table with the name of the test (`single`), or in a shard table behind a
 * Distributed table.
 */
export type FactLayout = 'single' | 'shard' | 'replicated-shard'

/** `days` is the retention of results; null if they are kept forever. */
export function createFactTable(test: TestDefinition, database: string, layout: FactLayout, days: number | null): Sql {
  const table = layout === 'single' ? test.key : shardTable(test.key)
  return sql`CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(table)} (
  ${join([...storedColumns(test).map(columnDeclaration), ingestedIndex], ',\n  ')}
)
ENGINE = ${tableEngine(database, table, layout)}
PARTITION BY toYYYYMM(dtime)
ORDER BY (panel, toDate(dtime), agent, dtime)
${keptFor('dtime', days)}SETTINGS ${deduplicated(layout)}, ${wholeParts}
COMMENT ${literal(test.description)}`
}

/**
 * ClickHouse ignores an insert whose deduplication token is one of the last 10,000. Without this setting, it stores no tokens.
 */
export const deduplicated = (layout: FactLayout): Sql =>
  sql`${layout === 'replicated-shard' ? sql`replicated` : sql`non_replicated`}_deduplication_window = 10000`

export function tableEngine(database: string, table: string, layout: FactLayout, kind: Sql = sql`MergeTree`): Sql {
  if (layout !== 'replicated-shard') return kind
  return sql`Replicated${kind}(${literal(`/clickhouse/tables/{shard}/${database}/${table}`)}, '{replica}')`
}

/** The sharding key is the agent, so that counting distinct agents and looking up metadata never need rows of another shard. */
export function createDistributedTable(test: TestDefinition, database: string, cluster: string): Sql {
  return sql`CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(test.key)}
AS ${identifier(database)}.${identifier(shardTable(test.key))}
ENGINE = Distributed(${literal(cluster)}, ${literal(database)}, ${literal(shardTable(test.key))}, agent)`
}

export function addColumn(database: string, table: string, column: StoredColumn): Sql {
  const name = sql`${identifier(database)}.${identifier(table)}`
  return sql`ALTER TABLE ${name} ADD COLUMN IF NOT EXISTS ${columnDeclaration(column)}`
}

/**
 * With this index, a search for recently stored rows skips nearly all other rows: rows that are near each other in the table
 * are usually stored together.
 */
const ingestedIndex = sql`INDEX ingested_at_range ingested_at TYPE minmax GRANULARITY 1`

/** A column of a table that is not a fact table. */
export const plainColumn = (name: string, type: Sql, comment: string): StoredColumn => ({
  name,
  type,
  codec: sql`ZSTD(1)`,
  comment,
})

export const shardTable = (key: string): string => `${key}_shard`

function storedColumn(column: Column): StoredColumn {
  const type = storedType[column.type]
  const nullable = column.required ? type : sql`Nullable(${type})`
  return {
    name: column.name,
    // Texts such as targets, models and carriers repeat. With dictionary encoding (LowCardinality) they take a tenth of the
    // space.
    type: column.type === 'text' ? sql`LowCardinality(${nullable})` : nullable,
    codec: sql`ZSTD(1)`,
    comment: column.unit === null ? column.description : `${column.description} Unit: ${column.unit}.`,
  }
}

export function columnDeclaration(column: StoredColumn): Sql {
  const defaultValue = column.defaultValue === undefined ? sql`` : sql` DEFAULT ${column.defaultValue}`
  return sql`${identifier(column.name)} ${column.type}${defaultValue} COMMENT ${literal(column.comment)} CODEC(${column.codec})`
}
