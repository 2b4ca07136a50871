import type { ClickHouseClient } from '@clickhouse/client'
import { statement, type Sql } from '../../../base/sql.ts'
import { traced, traceHeaders } from '../../tracing.ts'
import { inClickHouse, speaking } from '../clickhouse.ts'
import { storageSettings, type ExportRun } from './write-export.ts'

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
