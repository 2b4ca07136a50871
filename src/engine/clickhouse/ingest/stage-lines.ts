import { Readable } from 'node:stream'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { storeUnavailable } from '../../../base/fault.ts'
import { limits } from '../../../base/limits.ts'
import { statement, type Sql } from '../../../base/sql.ts'
import { mapClickHouseErrors } from '../clickhouse.ts'
import { readSummary } from '../query/meter.ts'
import { UnreadableRows } from './unreadable-rows.ts'

const settings: ClickHouseSettings = {
  async_insert: 0,
  // One thread, because rows are numbered in the order of the input.
  max_insert_threads: '1',
  max_execution_time: limits.maintenanceTimeoutMs / 1000,
}

/**
 * Stages any number of rows. ClickHouse stores them block by block, but no query reads them before all are stored. Returns the
 * number of rows.
 */
export async function stageLines(
  node: ClickHouseClient,
  insert: Sql,
  file: AsyncIterable<Uint8Array>,
  reading: Readonly<Record<string, string | number>>,
): Promise<number> {
  const { text, params } = statement(insert)
  try {
    const { stream, summary } = await mapClickHouseErrors(() =>
      node.exec({
        query: text,
        query_params: { ...params },
        values: Readable.from(file, { objectMode: false }),
        clickhouse_settings: { ...settings, ...reading },
      }),
    )
    await mapClickHouseErrors(() => stream.toArray())
    return Number(readSummary(summary).written_rows)
  } catch (error) {
    throw UnreadableRows.from(error) ?? error
  }
}

/** Streams the response to a SELECT whose FORMAT has one row per line. */
export async function* selectBytes(node: ClickHouseClient, query: Sql): AsyncGenerator<Uint8Array> {
  const { text, params } = statement(query)
  const { stream, summary } = await mapClickHouseErrors(() =>
    node.exec({
      query: text,
      query_params: { ...params },
      // Make ClickHouse send the response only when it is complete. Otherwise an error in the middle would be read as a row.
      clickhouse_settings: { wait_end_of_query: 1, max_execution_time: limits.maintenanceTimeoutMs / 1000 },
    }),
  )
  let lines = 0
  for await (const chunk of stream as Readable & AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1
    yield chunk
  }
  // If ClickHouse has no disk space to buffer the response, it sends only a part of it, or nothing, without an error.
  const rows = Number(readSummary(summary).result_rows)
  if (lines < rows) throw storeUnavailable('ClickHouse', new Error(`the engine sent ${lines} of ${rows} rows`))
}
