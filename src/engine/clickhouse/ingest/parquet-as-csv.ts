import { randomUUID } from 'node:crypto'
import { limits } from '../../../base/limits.ts'
import { bind, identifier, join, literal, sql } from '../../../base/sql.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { firstNode } from '../next-node.ts'
import { runInsert } from './run-insert.ts'
import { selectBytes } from './stage-lines.ts'

/**
 * Converts a Parquet file to CSV with a header; the columns must have been checked. ClickHouse stages the rows as lines and
 * returns them in order, so that they are split into batches like the rows of any other file. ClickHouse holds the file in
 * memory, but not the staged rows.
 */
export async function* parquetAsCsv(
  { nodes, database }: ClickHouse,
  columns: readonly string[],
  file: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const node = firstNode({ nodes })
  const run = `parquet-${randomUUID()}`
  const structure = columns.map((name) => `${name} Nullable(String)`).join(', ')
  const cells = columns.map(identifier)
  const stage = sql`INSERT INTO ${identifier(database)}.staged_results (attempt, row, raw)
SELECT ${bind('String', run)}, rowNumberInAllBlocks() + 1, formatRowNoNewline('CSV', ${join(cells, ', ')})
FROM input(${literal(structure)}) FORMAT Parquet`
  const settings = {
    format_csv_null_representation: '',
    input_format_parquet_preserve_order: 1,
    max_execution_time: limits.maintenanceTimeoutMs / 1000,
  }
  await runInsert(node, stage, { token: run, data: file, settings })
  yield Buffer.from(`${columns.join(',')}\n`)
  yield* selectBytes(
    node,
    sql`SELECT raw FROM ${identifier(database)}.staged_results WHERE attempt = ${bind('String', run)} ORDER BY row FORMAT TSVRaw`,
  )
}
