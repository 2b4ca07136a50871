import type { ClickHouseClient } from '@clickhouse/client'
import { limits } from '../../../base/limits.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import {
  findUnnoted,
  notedTests,
  noteProgress,
  noteValues,
  readNow,
  type NotingNode,
} from '../../../compile/values/note-values.ts'
import { findIn, runIn } from '../query/ask.ts'
import type { ClickHouse } from '../clickhouse.ts'

/**
 * Goes through the facts that have come since the last time, on every node, and adds the values nobody has said before. The
 * first time that is all of them. Done twice, or begun and not ended, it does no harm. A test or a node that fails keeps none
 * of the others from it; that it did is thrown when they are done.
 */
export async function noteFacts(clickhouse: ClickHouse, catalog: Catalog, signal: AbortSignal): Promise<void> {
  const { nodes, database, cluster } = clickhouse
  const noted = await Promise.allSettled(
    nodes.map((client, number) => noteNode(client, { database, isSingle: cluster === null, number }, catalog, signal)),
  )
  const failed = noted.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

const settings = { async_insert: 0, max_execution_time: limits.maintenanceTimeoutMs / 1000 } as const

async function noteNode(client: ClickHouseClient, node: NotingNode, catalog: Catalog, signal: AbortSignal) {
  const asking = { settings, signal }
  const tests = notedTests(catalog)
  // Before anything is read: what comes meanwhile is left for the next time.
  const [begun] = await findIn<{ now: string }>(client, readNow, asking)
  const unnoted = new Set(
    (await findIn<{ test: string }>(client, findUnnoted(node, tests), asking)).map(({ test }) => test),
  )
  const failures = new Map<string, unknown>()
  for (const test of tests.filter(({ key }) => unnoted.has(key))) {
    await runIn(client, noteValues(node, test), asking).catch((error: unknown) => failures.set(test.key, error))
  }
  // One that failed stays where it was, and is gone through from there the next time.
  const done = tests.filter(({ key }) => !failures.has(key))
  if (done.length > 0) await runIn(client, noteProgress(node, done, begun?.now ?? ''), asking)
  const [failure] = failures.values()
  if (failures.size > 0) throw failure
}
