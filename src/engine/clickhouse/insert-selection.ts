import { statement, type Sql } from '../../base/sql.ts'
import { speaking, type ClickHouse } from './clickhouse.ts'

/** More rows and bytes than any insertion has: whatever is selected becomes one block, and a block is stored whole or not. */
const unlimited = '1000000000000'

/** Runs an INSERT … SELECT that the engine answers by itself, and waits until every shard has its rows. */
export async function insertSelection({ nodes: [node] }: ClickHouse, insertion: Sql): Promise<void> {
  const { text, params } = statement(insertion)
  await speaking(async () =>
    node?.command({
      query: text,
      query_params: { ...params },
      clickhouse_settings: {
        async_insert: 0,
        distributed_foreground_insert: 1,
        max_insert_threads: '1',
        min_insert_block_size_rows: unlimited,
        min_insert_block_size_bytes: unlimited,
        wait_end_of_query: 1,
      },
    }),
  )
}
