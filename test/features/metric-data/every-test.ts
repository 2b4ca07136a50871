import { catalog } from '../../../src/catalog/catalog.ts'
import type { MetricDefinition } from '../../../src/catalog/define-metric.ts'
import type { TestDefinition } from '../../../src/catalog/define-test.ts'
import type { FactRow } from '../../kit/facts.ts'
import { storeFacts } from '../../kit/facts.ts'
import type { World } from '../../kit/world.ts'

/**
 * A plausible row of a test. Its numbers pass every prefilter rule. All its texts are equal, so that the last hop of a
 * path equals the target.
 */
function plausibleRow({ columns }: TestDefinition): Record<string, unknown> {
  const values: Record<string, unknown> = Object.fromEntries(
    columns.map(({ name, type }) => [name, type === 'text' ? 'text' : type === 'int64' ? 200_000 : 4]),
  )
  const has = (name: string) => columns.some((column) => column.name === name)
  if (has('error')) values['error'] = null
  if (has('successes')) Object.assign(values, { successes: 60, failures: 2 })
  if (has('packets_sent')) Object.assign(values, { packets_sent: 60, packets_received: 59 })
  if (has('sk_rx_bytes')) Object.assign(values, { sk_rx_bytes: 5, sk_tx_bytes: 5 })
  return values
}

/** One row of a test, or two if the test has a number of TCP connections: with several connections, and with one. */
export function withOneConnection(test: TestDefinition): Record<string, unknown>[] {
  const row = plausibleRow(test)
  return 'threads' in row ? [row, { ...row, threads: 1 }] : [row]
}

/** How many of the rows of `withOneConnection` a metric counts. */
export function rowsCounted({ test: key, rows }: MetricDefinition): number {
  const test = catalog.tests.find((one) => one.key === key)
  return test === undefined || rows !== undefined ? 1 : withOneConnection(test).length
}

/**
 * Stores rows with the given times for every test. The rows belong to the agent `<panel>-whitebox` or `<panel>-mobile`.
 */
export async function storeEveryTest(
  world: World,
  panel: string,
  dtimes: readonly string[],
  rowsOf = (test: TestDefinition) => [plausibleRow(test)],
): Promise<void> {
  for (const test of catalog.tests) {
    const agent = test.kinds.includes('whitebox') ? `${panel}-whitebox` : `${panel}-mobile`
    const rows: FactRow[] = dtimes.flatMap((dtime) => rowsOf(test).map((row) => ({ agent, dtime, ...row })))
    await storeFacts(world, test.key, rows)
  }
}
