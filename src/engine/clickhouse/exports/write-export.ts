import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { exportLimits, limits } from '../../../base/limits.ts'
import { type Sql, statement } from '../../../base/sql.ts'
import { traced, traceHeaders } from '../../tracing.ts'
import { type ClickHouse, inClickHouse, speaking } from '../clickhouse.ts'
import { multipartOf } from '../query/multipart.ts'
import { toldSummary } from '../query/meter.ts'
import { newMeter, type QueryOrigin } from '../../../base/audit.ts'
import type { Scope } from '../../../base/caller.ts'
import { storeAway } from '../../../base/fault.ts'
import { findLatestSince } from '../../../compile/metric/samples.ts'
import { findPoints } from '../query/find-points.ts'
import { readClock } from '../query/read-clock.ts'

export type ExportRun = { readonly queryId: string; readonly comment: string; readonly signal: AbortSignal }

export type WrittenRows = { readonly written: number; readonly engineMs: number }

/** Lets the engine write a file, and answers how many rows it has written, and in what time. */
export async function writeExport(
  node: ClickHouseClient,
  query: Sql,
  { queryId, comment, signal }: ExportRun,
): Promise<WrittenRows> {
  const { text, params } = statement(query)
  // The client listens for the abort only: one that has been is nothing to it.
  signal.throwIfAborted()
  return traced('ClickHouse write file', 'client', inClickHouse, () =>
    speaking(async () => {
      const { stream, summary } = await node.exec({
        query: text,
        ...multipartOf(params, traceHeaders()),
        query_id: queryId,
        clickhouse_settings: { ...wholeFile, log_comment: comment },
        abort_signal: signal,
      })
      for await (const _ of stream);
      const { written_rows: written, elapsed_ns: elapsedNs } = toldSummary(summary)
      return { written: Number(written), engineMs: Number(elapsedNs) / 1e6 }
    }),
  )
}

/** A store that does not answer must be an error, and soon: by default the engine tries hundreds of times. */
const storageSettings: ClickHouseSettings = {
  s3_retry_attempts: '3',
  s3_connect_timeout_ms: '3000',
  s3_request_timeout_ms: '10000',
  max_execution_time: exportLimits.timeoutMs / 1000,
}

const wholeFile: ClickHouseSettings = {
  ...storageSettings,
  async_insert: 0,
  wait_end_of_query: 1,
  // Several would each write a part of the rows, in no order.
  max_insert_threads: '1',
  format_csv_null_representation: '',
  output_format_csv_crlf_end_of_line: 1,
  output_format_parquet_compression_method: 'zstd',
  // Where something is there already it is not ours to replace: every attempt has a name of its own.
  s3_truncate_on_insert: 0,
}

/** How many rows a finished file has, by reading it. */
export async function countExport(
  node: ClickHouseClient,
  query: Sql,
  { queryId, comment, signal }: ExportRun,
): Promise<number> {
  const { text, params } = statement(query)
  signal.throwIfAborted()
  return traced('ClickHouse count rows', 'client', inClickHouse, () =>
    speaking(async () => {
      const result = await node.query({
        query: text,
        query_params: { ...params },
        format: 'JSONEachRow',
        query_id: queryId,
        http_headers: traceHeaders(),
        clickhouse_settings: {
          ...storageSettings,
          log_comment: comment,
          // The columns of the file are none of this statement's business, and what the engine remembers is not what is there.
          input_format_skip_unknown_fields: 1,
          use_cache_for_count_from_files: 0,
          wait_end_of_query: 1,
          output_format_json_quote_64bit_integers: 0,
        },
        abort_signal: signal,
      })
      const [row] = await result.json<{ rows: number }>()
      if (row === undefined) throw new Error('count() gave no row')
      return row.rows
    }),
  )
}

/**
 * How far the engine has come with any of these statements, 0 to 1. `rows` is what it will read where it does not know that
 * itself. An error when it runs none of them.
 */
export async function readProgress(node: ClickHouseClient, queryIds: readonly string[], rows: number): Promise<number> {
  const result = await node.query({
    query: `SELECT toFloat64(read_rows) AS done, toFloat64(total_rows_approx) AS total
            FROM system.processes WHERE query_id IN {ids:Array(String)}`,
    query_params: { ids: queryIds },
    format: 'JSONEachRow',
    abort_signal: AbortSignal.timeout(limits.readinessTimeoutMs),
  })
  const [row] = await result.json<{ done: number; total: number }>()
  if (row === undefined) throw new Error(`the engine runs no statement ${queryIds.join(' or ')}`)
  const total = row.total > 0 ? row.total : rows
  return total > 0 ? Math.min(row.done / total, 1) : 0
}

/** What is to be read. */
type Subject = { readonly test: string; readonly panels: readonly number[] }

/**
 * A moment after everything of a test that has been stored so far. The engine's clock alone does not tell: where it was set
 * back, results that have long been acknowledged bear times to come.
 */
export async function readStoredBefore(
  scope: Scope,
  clickhouse: ClickHouse,
  { test, panels }: Subject,
  asked: Pick<QueryOrigin, 'endpoint' | 'requestId'>,
): Promise<Temporal.Instant> {
  const clock = await readClock(clickhouse)
  const query = statement(findLatestSince(clickhouse.database, test, panels, clock))
  const signal = AbortSignal.timeout(limits.lookupTimeoutMs)
  const origin = { ...asked, panels, meter: newMeter(), signal }
  const rows = await findPoints<[number | string]>(scope, clickhouse, query, origin).catch((error: unknown) => {
    // Ours, not the caller's.
    throw signal.aborted ? storeAway('ClickHouse', error) : error
  })
  const latest = Number(rows[0]?.[0] ?? 0)
  return Temporal.Instant.fromEpochMilliseconds(Math.max(clock.epochMilliseconds, latest + 1))
}
