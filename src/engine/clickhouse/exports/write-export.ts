import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { exportLimits, limits } from '../../../base/limits.ts'
import { type Sql, statement } from '../../../base/sql.ts'
import { traced, traceHeaders } from '../../tracing.ts'
import { type ClickHouse, inClickHouse, mapStoreErrors } from '../clickhouse.ts'
import { multipartOf } from '../query/multipart.ts'
import { readSummary } from '../query/meter.ts'
import { newMeter, type QueryOrigin } from '../../../base/audit.ts'
import type { Scope } from '../../../base/caller.ts'
import { storeUnavailable } from '../../../base/fault.ts'
import { findLatestSince } from '../../../compile/metric/samples.ts'
import { findPoints } from '../query/find-points.ts'
import { readClock } from '../query/read-clock.ts'

export type ExportRun = { readonly queryId: string; readonly comment: string; readonly signal: AbortSignal }

export type WrittenRows = { readonly written: number; readonly engineMs: number }

/** Makes ClickHouse write a file. Returns the number of rows and the duration. */
export async function writeExport(
  node: ClickHouseClient,
  query: Sql,
  { queryId, comment, signal }: ExportRun,
): Promise<WrittenRows> {
  const { text, params } = statement(query)
  // The client library reacts only to the abort event and ignores a signal that is already aborted.
  signal.throwIfAborted()
  return traced('ClickHouse write file', 'client', inClickHouse, () =>
    mapStoreErrors(async () => {
      const { stream, summary } = await node.exec({
        query: text,
        ...multipartOf(params, traceHeaders()),
        query_id: queryId,
        clickhouse_settings: { ...wholeFile, log_comment: comment },
        abort_signal: signal,
      })
      for await (const _ of stream);
      const { written_rows: written, elapsed_ns: elapsedNs } = readSummary(summary)
      return { written: Number(written), engineMs: Number(elapsedNs) / 1e6 }
    }),
  )
}

/** By default ClickHouse retries hundreds of times. If the object storage is unavailable, the export must fail soon. */
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
  // With several threads, the rows would not be in order.
  max_insert_threads: '1',
  format_csv_null_representation: '',
  output_format_csv_crlf_end_of_line: 1,
  output_format_parquet_compression_method: 'zstd',
  // Never replace an object. Every attempt has its own key, so an existing object was not written by this attempt.
  s3_truncate_on_insert: 0,
}

/** Counts the rows of a finished file by reading the file. */
export async function countExport(
  node: ClickHouseClient,
  query: Sql,
  { queryId, comment, signal }: ExportRun,
): Promise<number> {
  const { text, params } = statement(query)
  signal.throwIfAborted()
  return traced('ClickHouse count rows', 'client', inClickHouse, () =>
    mapStoreErrors(async () => {
      const result = await node.query({
        query: text,
        query_params: { ...params },
        format: 'JSONEachRow',
        query_id: queryId,
        http_headers: traceHeaders(),
        clickhouse_settings: {
          ...storageSettings,
          log_comment: comment,
          // The first setting is necessary because the statement names no column of the file. The second is necessary because
          // a cached row count could differ from the file.
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
 * Returns the progress, from 0 to 1, of the statement that ClickHouse runs at this moment. `queryIds` are the ids of all
 * statements of the export. `rows` is the expected number of rows, used if ClickHouse does not know it. Throws if none of the
 * statements runs.
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

type Subject = {
  readonly test: string
  readonly otherTests?: readonly { readonly test: string }[]
  readonly panels: readonly number[]
}

/**
 * Returns a time that is later than the `ingested_at` of every stored result of the tests. ClickHouse's clock alone is not enough:
 * if the clock was set back, results that are already stored have an `ingested_at` in the future.
 */
export async function readStoredBefore(
  scope: Scope,
  clickhouse: ClickHouse,
  { test, otherTests = [], panels }: Subject,
  asked: Pick<QueryOrigin, 'endpoint' | 'requestId'>,
): Promise<Temporal.Instant> {
  const clock = await readClock(clickhouse)
  const signal = AbortSignal.timeout(limits.lookupTimeoutMs)
  const origin = { ...asked, panels, meter: newMeter(), signal }
  const latest = await Promise.all(
    [test, ...otherTests.map((one) => one.test)].map(async (key) => {
      const query = statement(findLatestSince(clickhouse.database, key, panels, clock))
      const [row] = await findPoints<[number | string]>(scope, clickhouse, query, origin)
      return Number(row?.[0] ?? 0)
    }),
  ).catch((error: unknown) => {
    // An aborted signal means that this function's own deadline has passed, and not that the caller has disconnected.
    throw signal.aborted ? storeUnavailable('ClickHouse', error) : error
  })
  return Temporal.Instant.fromEpochMilliseconds(Math.max(clock.epochMilliseconds, ...latest.map((one) => one + 1)))
}
