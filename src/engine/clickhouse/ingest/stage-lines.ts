import { Readable } from 'node:stream'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { storeAway } from '../../../base/fault.ts'
import { limits } from '../../../base/limits.ts'
import { statement, type Sql } from '../../../base/sql.ts'
import { speakingAsStore } from '../clickhouse.ts'
import { toldSummary } from '../query/meter.ts'
import { UnreadableRows } from './unreadable-rows.ts'

const settings: ClickHouseSettings = {
  async_insert: 0,
  // Rows are numbered as they come.
  max_insert_threads: '1',
  max_execution_time: limits.maintenanceTimeoutMs / 1000,
}

/** Puts rows aside, any number of them: block by block, because nobody looks before all are there. Answers how many. */
export async function stageLines(
  node: ClickHouseClient,
  insert: Sql,
  file: AsyncIterable<Uint8Array>,
  reading: Readonly<Record<string, string | number>>,
): Promise<number> {
  const { text, params } = statement(insert)
  try {
    const { stream, summary } = await speakingAsStore(() =>
      node.exec({
        query: text,
        query_params: { ...params },
        values: Readable.from(file, { objectMode: false }),
        clickhouse_settings: { ...settings, ...reading },
      }),
    )
    await speakingAsStore(() => stream.toArray())
    return Number(toldSummary(summary).written_rows)
  } catch (error) {
    throw UnreadableRows.from(error) ?? error
  }
}

/** What a SELECT with a FORMAT of its own, of lines, answers, byte by byte. */
export async function* selectBytes(node: ClickHouseClient, query: Sql): AsyncGenerator<Uint8Array> {
  const { text, params } = statement(query)
  const { stream, summary } = await speakingAsStore(() =>
    node.exec({
      query: text,
      query_params: { ...params },
      // Whole or not at all: an error half-way would be read as a row.
      clickhouse_settings: { wait_end_of_query: 1, max_execution_time: limits.maintenanceTimeoutMs / 1000 },
    }),
  )
  let lines = 0
  for await (const chunk of stream as Readable & AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1
    yield chunk
  }
  // An engine without room to keep an answer back sends less of it, or nothing, as if that were all.
  const rows = Number(toldSummary(summary).result_rows)
  if (lines < rows) throw storeAway('ClickHouse', new Error(`the engine sent ${lines} of ${rows} rows`))
}
