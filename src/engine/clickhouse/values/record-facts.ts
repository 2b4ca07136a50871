import type { ClickHouseClient } from '@clickhouse/client'
import { limits } from '../../../base/limits.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import {
  findUnscanned,
  scannedTests,
  recordProgress,
  recordNewValues,
  readNow,
  type ScanNode,
} from '../../../compile/values/record-values.ts'
import { findIn, runIn } from '../query/ask.ts'
import type { ClickHouse } from '../clickhouse.ts'

/**
 * Scans the results that were stored after the last run, on every node, and adds new values to the list. The first run scans
 * all results. The function can be repeated or interrupted at any time. If a test or node fails, the others are still scanned,
 * and the error is thrown at the end.
 */
export async function recordValuesOfFacts(
  clickhouse: ClickHouse,
  catalog: Catalog,
  signal: AbortSignal,
): Promise<void> {
  const { nodes, database, cluster } = clickhouse
  const noted = await Promise.allSettled(
    nodes.map((client, number) => scanNode(client, { database, isSingle: cluster === null, number }, catalog, signal)),
  )
  const failed = noted.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

const settings = { async_insert: 0, max_execution_time: limits.maintenanceTimeoutMs / 1000 } as const

async function scanNode(client: ClickHouseClient, node: ScanNode, catalog: Catalog, signal: AbortSignal) {
  const asking = { settings, signal }
  const tests = scannedTests(catalog)
  // The time is read before the scan, so that the next run scans results which are stored during this scan.
  const [begun] = await findIn<{ now: string }>(client, readNow, asking)
  const unrecorded = new Set(
    (await findIn<{ test: string }>(client, findUnscanned(node, tests), asking)).map(({ test }) => test),
  )
  const failures = new Map<string, unknown>()
  for (const test of tests.filter(({ key }) => unrecorded.has(key))) {
    await runIn(client, recordNewValues(node, test), asking).catch((error: unknown) => failures.set(test.key, error))
  }
  // A test that failed keeps its old progress, so the next run scans it from there.
  const done = tests.filter(({ key }) => !failures.has(key))
  if (done.length > 0) await runIn(client, recordProgress(node, done, begun?.now ?? ''), asking)
  const [failure] = failures.values()
  if (failures.size > 0) throw failure
}
