import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from '../../../base/sql.ts'
import { runIn } from '../query/ask.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { firstNode } from '../next-node.ts'

/** More rows and bytes than any insertion has: whatever is selected becomes one block, and a block is stored whole or not. */
const unlimited = '1000000000000'

/**
 * Runs an INSERT … SELECT that the engine answers by itself, and waits until every shard has its rows. While one of the
 * same name runs, also for somebody who has hung up, another waits: what looks for rows that are there must not miss
 * those that are on their way.
 */
export async function insertSelection(clickhouse: ClickHouse, name: string, insertion: Sql): Promise<void> {
  const node = firstNode(clickhouse)
  while (!(await ranAlone(node, name, insertion))) await pause(500)
}

const settings: ClickHouseSettings = {
  async_insert: 0,
  distributed_foreground_insert: 1,
  max_insert_threads: '1',
  min_insert_block_size_rows: unlimited,
  min_insert_block_size_bytes: unlimited,
  wait_end_of_query: 1,
}

const isRunningAlready = '216'

async function ranAlone(node: ClickHouseClient, name: string, insertion: Sql): Promise<boolean> {
  try {
    await runIn(node, insertion, { name, settings })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === isRunningAlready) return false
    throw error
  }
}
