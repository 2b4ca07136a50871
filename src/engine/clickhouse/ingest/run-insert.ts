import { Readable } from 'node:stream'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { limits } from '../../../base/limits.ts'
import { statement, type Sql } from '../../../base/sql.ts'
import type { RowSource } from '../../../compile/ingest/row-source.ts'
import { traced, traceHeaders } from '../../tracing.ts'
import { inClickHouse, speakingAsStore } from '../clickhouse.ts'
import { toldSummary } from '../query/meter.ts'
import { UnreadableRows } from './unreadable-rows.ts'

export type InsertOptions = {
  /** The engine ignores an insert whose token it has seen, per table, month and shard, whatever it holds. */
  readonly token: string
  /** Rows that follow the statement. */
  readonly data?: Uint8Array | AsyncIterable<Uint8Array>
  /** How they are to be read. */
  readonly settings?: RowSource['settings']
}

/** How many rows were read, and how many were handed to the table. An ignored insert counts like any other. */
export type InsertCounts = { readonly read: number; readonly written: number }

/** More than any batch holds: everything is one block, and a block is stored for a month and a shard whole or not at all. */
const unlimited = 1_000_000_000_000

export const runInsert = (node: ClickHouseClient, query: Sql, options: InsertOptions): Promise<InsertCounts> =>
  traced('ClickHouse insert', 'client', inClickHouse, () => insert(node, query, options))

async function insert(
  node: ClickHouseClient,
  query: Sql,
  { token, data, settings }: InsertOptions,
): Promise<InsertCounts> {
  const { text, params } = statement(query)
  const options = {
    query: text,
    query_params: params,
    clickhouse_settings: { ...wholeBlocks, ...settings, insert_deduplication_token: token },
    http_headers: traceHeaders(),
  }
  try {
    const { stream, summary } = await speakingAsStore(() =>
      node.exec(data === undefined ? options : { ...options, values: streamOf(data) }),
    )
    await speakingAsStore(() => drain(stream))
    const { read_rows: read, written_rows: written } = toldSummary(summary)
    return { read: Number(read), written: Number(written) }
  } catch (error) {
    throw UnreadableRows.from(error) ?? error
  }
}

const wholeBlocks: ClickHouseSettings = {
  async_insert: 0,
  insert_deduplicate: 1,
  max_insert_threads: '1',
  max_insert_block_size: String(unlimited),
  min_insert_block_size_rows: String(unlimited),
  min_insert_block_size_bytes: String(unlimited),
  // Answered when every shard has its rows, not when they are put in a queue.
  distributed_foreground_insert: 1,
  // Otherwise rows for the node's own shard are counted twice.
  prefer_localhost_replica: 0,
  // A month each; history is sent in any order.
  max_partitions_per_insert_block: String(limits.batchMonthsMax),
  // Without a value counts as one like any other.
  transform_null_in: 1,
  max_execution_time: limits.batchTimeoutMs / 1000,
}

const streamOf = (data: Uint8Array | AsyncIterable<Uint8Array>): Readable =>
  Readable.from(data instanceof Uint8Array ? [data] : data, { objectMode: false })

async function drain(stream: Readable): Promise<void> {
  for await (const _ of stream);
}
