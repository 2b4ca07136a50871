import { identifier, join, literal, sql, type Sql } from '../base/sql.ts'
import {
  columnDeclaration,
  deduplicated,
  plainColumn,
  shardTable,
  tableEngine,
  type FactLayout,
  type StoredColumn,
} from './fact-table.ts'
import { keptFor, wholeParts } from './retention.ts'

/** Who asked what of the data interface, and what came of it. For the operator; no interface shows it. */
export const auditTable = 'audited_queries'

export const auditColumns: readonly StoredColumn[] = [
  plainColumn('organisation', sql`UInt32`, 'Number of the organisation that asked.'),
  plainColumn('asked_at', sql`DateTime64(3, 'UTC')`, 'Time the query was begun.'),
  plainColumn('id', sql`UUID`, 'The query; a request id may be repeated by its caller.'),
  plainColumn('token', sql`Nullable(UInt32)`, 'Number of the token.'),
  plainColumn('endpoint', sql`LowCardinality(Nullable(String))`, 'Method and path.'),
  plainColumn('request_id', sql`Nullable(String)`, 'X-Request-Id of the answer.'),
  plainColumn('trace_id', sql`Nullable(String)`, 'Of the request, where requests are traced.'),
  plainColumn('body', sql`Nullable(String)`, 'The request as JSON, without anything that looks like a secret.'),
  plainColumn('panels', sql`Array(UInt32)`, 'Numbers of the panels it was about.'),
  plainColumn('range_clock', sql`LowCardinality(Nullable(String))`, 'What the range is in: utc or agent-local.'),
  plainColumn('range_from', sql`Nullable(String)`, 'Its beginning, resolved.'),
  plainColumn('range_to', sql`Nullable(String)`, 'Its end, included.'),
  plainColumn(
    'finished_at',
    sql`Nullable(DateTime64(3, 'UTC'))`,
    'Time the answer was over; null: the outcome is not known.',
  ),
  plainColumn('status', sql`Nullable(UInt16)`, 'Of the answer; null: nobody was answered.'),
  plainColumn('complete', sql`Nullable(UInt8)`, '0: the answer broke off.'),
  plainColumn('rows', sql`Nullable(UInt64)`, 'Rows the engine gave.'),
  plainColumn('bytes', sql`Nullable(UInt64)`, 'Their bytes, before compression.'),
  plainColumn('engine_ms', sql`Nullable(Float64)`, 'Milliseconds the engine took, without waiting for a slow caller.'),
]

/** The question and its outcome are two rows that the engine makes one: of each column it keeps what is not null. */
export function createAuditTable(database: string, layout: FactLayout, days: number): Sql {
  const table = layout === 'single' ? auditTable : shardTable(auditTable)
  return sql`CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(table)} (
  ${join(auditColumns.map(columnDeclaration), ',\n  ')}
)
ENGINE = ${tableEngine(database, table, layout, sql`CoalescingMergeTree`)}
PARTITION BY toYYYYMM(asked_at)
ORDER BY (organisation, asked_at, id)
${keptFor('asked_at', days)}SETTINGS ${deduplicated(layout)}, ${wholeParts}
COMMENT 'Analytics queries: who asked what, and what came of it.'`
}

/** Both rows of a query are on one shard, or they could not become one. */
export function createDistributedAuditTable(database: string, cluster: string): Sql {
  const shard = shardTable(auditTable)
  return sql`CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(auditTable)}
AS ${identifier(database)}.${identifier(shard)}
ENGINE = Distributed(${literal(cluster)}, ${literal(database)}, ${literal(shard)}, cityHash64(id))`
}
