import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { identifier, sql, statement } from '../../base/sql.ts'
import { speaking, type ClickHouse } from './clickhouse.ts'

/** Stores rows that are lines of JSON already, and waits until every shard has its own. */
export async function insertLines(
  { nodes: [node], database }: ClickHouse,
  table: string,
  lines: readonly string[],
): Promise<void> {
  if (node === undefined) throw new Error('the engine has no node')
  await speaking(async () => {
    const { stream } = await node.exec({
      query: statement(sql`INSERT INTO ${identifier(database)}.${identifier(table)} FORMAT JSONEachRow`).text,
      // Not through the client's own insert: it would take objects, and make lines of them again.
      values: Readable.from([`${lines.join('\n')}\n`], { objectMode: false }),
      clickhouse_settings: { async_insert: 0, distributed_foreground_insert: 1, wait_end_of_query: 1 },
    })
    await text(stream)
  })
}
