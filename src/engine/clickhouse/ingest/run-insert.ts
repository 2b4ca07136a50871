import { Readable } from 'node:stream'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { limits } from '../../../base/limits.ts'
import { statement, type Sql } from '../../../base/sql.ts'
import type { RowSource } from '../../../compile/ingest/row-source.ts'
import { traced, traceHeaders } from '../../tracing.ts'
import { inClickHouse, mapClickHouseErrors } from '../clickhouse.ts'
import { readSummary } from '../query/meter.ts'
import { unlessSilent } from '../query/while-responsive.ts'
import { UnreadableRows } from './unreadable-rows.ts'

export type InsertOptions = {
  /**
   * Deduplication token. ClickHouse ignores an insert if it has already seen the token for the same table, month and shard,
   * even if the rows differ.
   */
  readonly token: string
  /** The rows to insert, sent after the statement. */
  readonly data?: Uint8Array | AsyncIterable<Uint8Array>
  /** ClickHouse settings for parsing `data`. */
  readonly settings?: RowSource['settings']
}

/**
 * The number of rows that ClickHouse has read, and the number that it has passed to the table. Rows of an insert that
 * ClickHouse ignores as a duplicate are counted too.
 */
export type InsertCounts = { readonly read: number; readonly written: number }

/**
 * A block size that is larger than any batch, so that an insert is one block. For each month and shard, ClickHouse stores the
 * block completely or not at all.
 */
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
    const summary = await mapClickHouseErrors(() =>
      unlessSilent(node, async (signal) => {
        const listening = { ...options, abort_signal: signal }
        const executed = await node.exec(data === undefined ? listening : { ...listening, values: streamOf(data) })
        await drain(executed.stream)
        return executed.summary
      }),
    )
    const { read_rows: read, written_rows: written } = readSummary(summary)
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
  // The insert returns when every shard has stored its rows, not when the rows are queued.
  distributed_foreground_insert: 1,
  // Without this setting, rows for the node's own shard are counted twice.
  prefer_localhost_replica: 0,
  // A table has one partition per month, and the rows of a batch can be from many months.
  max_partitions_per_insert_block: String(limits.batchMonthsMax),
  // NULL equals NULL in `IN`: a missing value is part of the identity of a result.
  transform_null_in: 1,
  max_execution_time: limits.batchTimeoutMs / 1000,
}

const streamOf = (data: Uint8Array | AsyncIterable<Uint8Array>): Readable =>
  Readable.from(data instanceof Uint8Array ? [data] : data, { objectMode: false })

async function drain(stream: Readable): Promise<void> {
  for await (const _ of stream);
}
