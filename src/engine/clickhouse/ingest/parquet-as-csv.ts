import { randomUUID } from 'node:crypto'
import { limits } from '../../../base/limits.ts'
import { bind, identifier, join, literal, sql } from '../../../base/sql.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { firstNode } from '../next-node.ts'
import { runInsert } from './run-insert.ts'
import { selectBytes } from './stage-lines.ts'

/**
 * A Parquet file, whose columns are known to be those of a test, as CSV with a header: the engine reads it into lines and
 * hands those back in order, so that they are cut into batches like any other. It holds the file in memory, but not its
 * rows.
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
