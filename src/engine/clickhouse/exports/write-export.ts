import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { exportLimits } from '../../../base/limits.ts'
import { statement, type Sql } from '../../../base/sql.ts'
import { traced, traceHeaders } from '../../tracing.ts'
import { inClickHouse, speaking } from '../clickhouse.ts'
import { multipartOf } from '../query/multipart.ts'
import { toldSummary } from '../query/told-summary.ts'

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
export const storageSettings: ClickHouseSettings = {
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
