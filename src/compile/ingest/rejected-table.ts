import { identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import {
  columnDeclaration,
  deduplicated,
  plainColumn,
  shardTable,
  tableEngine,
  type FactLayout,
  type StoredColumn,
} from '../schema/fact-table.ts'

/** Table with the rejected rows and their reasons. The operator reads it to inform the sender. */
export const rejectedTable = 'rejected_results'

export const rejectedColumns: readonly StoredColumn[] = [
  plainColumn('organisation', sql`UInt32`, 'Number of the organisation that sent the row.'),
  plainColumn('test', sql`LowCardinality(String)`, 'Key of the test it was sent for.'),
  plainColumn('batch', sql`String`, 'The batch, as the answer named it.'),
  plainColumn('row', sql`UInt64`, 'Number of the row in the batch, the first being 1.'),
  plainColumn('reason', sql`LowCardinality(String)`, 'Why it was not stored; see docs/api.md.'),
  plainColumn('column', sql`String`, 'The column that is at fault, empty when none is.'),
  plainColumn('agent_id', sql`String`, 'The agent as the row named it.'),
  plainColumn('raw', sql`String`, 'The row as it was sent; of a CSV file its cells as JSON.'),
  {
    ...plainColumn(
      'rows',
      sql`UInt32`,
      'Rows it stands for: itself, and later ones of its reason and column not kept.',
    ),
    defaultValue: sql`1`,
  },
  plainColumn('source', sql`String`, 'The file it came from and where its batch begins, empty for a request.'),
  {
    ...plainColumn('rejected_at', sql`DateTime64(3, 'UTC')`, 'Time it was rejected.'),
    defaultValue: sql`now64(3)`,
  },
]

/** The TTL of 90 days leaves time to fix the sender, and prevents a faulty sender from filling the disk. */
export function createRejectedTable(database: string, layout: FactLayout): Sql {
  const table = layout === 'single' ? rejectedTable : shardTable(rejectedTable)
  return sql`CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(table)} (
  ${join(rejectedColumns.map(columnDeclaration), ',\n  ')}
)
ENGINE = ${tableEngine(database, table, layout)}
PARTITION BY toYYYYMM(rejected_at)
ORDER BY (organisation, test, batch, row)
TTL toDateTime(rejected_at) + INTERVAL 90 DAY
SETTINGS ${deduplicated(layout)}
COMMENT 'Rows that were sent and could not be stored.'`
}

/** Puts all rejected rows of a batch on one shard, so that one insert can write them. */
export function createDistributedRejectedTable(database: string, cluster: string): Sql {
  const shard = shardTable(rejectedTable)
  return sql`CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(rejectedTable)}
AS ${identifier(database)}.${identifier(shard)}
ENGINE = Distributed(${literal(cluster)}, ${literal(database)}, ${literal(shard)}, cityHash64(batch))`
}
