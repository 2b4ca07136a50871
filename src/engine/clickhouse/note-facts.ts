import type { ClickHouseClient } from '@clickhouse/client'
import { limits } from '../../base/limits.ts'
import { statement, type Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import {
  findUnnoted,
  notedTests,
  noteProgress,
  noteValues,
  readNow,
  type NotingNode,
} from '../../compile/values/note-values.ts'
import { speaking, type ClickHouse } from './clickhouse.ts'

/**
 * Goes through the facts that have come since the last time, on every node, and adds the values nobody has said before. The
 * first time that is all of them. Done twice, or begun and not ended, it does no harm.
 */
export async function noteFacts(clickhouse: ClickHouse, catalog: Catalog, signal: AbortSignal): Promise<void> {
  const { nodes, database, cluster } = clickhouse
  await Promise.all(
    nodes.map((client, number) =>
      speaking(() => noteNode(client, { database, isSingle: cluster === null, number }, catalog, signal)),
    ),
  )
}

async function noteNode(client: ClickHouseClient, node: NotingNode, catalog: Catalog, signal: AbortSignal) {
  const tests = notedTests(catalog)
  // Before anything is read: what comes meanwhile is left for the next time.
  const [begun] = await find<{ now: string }>(client, readNow, signal)
  const unnoted = new Set(
    (await find<{ test: string }>(client, findUnnoted(node, tests), signal)).map(({ test }) => test),
  )
  for (const test of tests.filter(({ key }) => unnoted.has(key))) await run(client, noteValues(node, test), signal)
  await run(client, noteProgress(node, tests, begun?.now ?? ''), signal)
}

const options = (query: Sql, signal: AbortSignal) => {
  // The client listens for the abort only: one that has been is nothing to it.
  signal.throwIfAborted()
  const { text, params } = statement(query)
  return {
    query: text,
    query_params: { ...params },
    clickhouse_settings: { async_insert: 0 as const, max_execution_time: limits.maintenanceTimeoutMs / 1000 },
    abort_signal: signal,
  }
}

const run = (client: ClickHouseClient, query: Sql, signal: AbortSignal) => client.command(options(query, signal))

async function find<Row>(client: ClickHouseClient, query: Sql, signal: AbortSignal): Promise<Row[]> {
  const result = await client.query({ ...options(query, signal), format: 'JSONEachRow' })
  return result.json<Row>()
}
