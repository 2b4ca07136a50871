import { catalog } from '../../../src/catalog/catalog.ts'
import type { TestDefinition } from '../../../src/catalog/define-test.ts'
import type { FactRow } from '../../kit/facts.ts'
import { storeFacts } from '../../kit/facts.ts'
import type { World } from '../../kit/world.ts'

/** A plausible row of a test: numbers that no prefilter rule minds, texts that end a path where it should end. */
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

/** The same rows for every test, on the agents `<panel>-whitebox` and `<panel>-mobile` of a panel. */
export async function storeEveryTest(world: World, panel: string, dtimes: readonly string[]): Promise<void> {
  for (const test of catalog.tests) {
    const agent = test.kinds.includes('whitebox') ? `${panel}-whitebox` : `${panel}-mobile`
    const rows: FactRow[] = dtimes.map((dtime) => ({ agent, dtime, ...plausibleRow(test) }))
    await storeFacts(world, test.key, rows)
  }
}
