import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { identifier, sql, statement } from '../../base/sql.ts'
import { speaking, type ClickHouse } from './clickhouse.ts'
import { nextNode, passOver } from './next-node.ts'

/** Stores rows that are lines of JSON already, by any node, and waits until every shard has its own. */
export async function insertLines(clickhouse: ClickHouse, table: string, lines: readonly string[]): Promise<void> {
  const node = nextNode(clickhouse)
  const query = statement(sql`INSERT INTO ${identifier(clickhouse.database)}.${identifier(table)} FORMAT JSONEachRow`)
  const insert = async () => {
    const { stream } = await node.exec({
      query: query.text,
      // Not through the client's own insert: it would take objects, and make lines of them again.
      values: Readable.from([`${lines.join('\n')}\n`], { objectMode: false }),
      clickhouse_settings: { async_insert: 0, distributed_foreground_insert: 1, wait_end_of_query: 1 },
    })
    await text(stream)
  }
  const others = await speaking(() =>
    insert().then(
      () => null,
      (error: unknown) => {
        const rest = passOver(clickhouse, node, error)
        if (rest === null) throw error
        return rest
      },
    ),
  )
  if (others !== null) await insertLines(others, table, lines)
}
