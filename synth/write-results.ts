import { bind, identifier, sql } from '../src/base/sql.ts'
import type { ClickHouse } from '../src/engine/clickhouse/clickhouse.ts'
import { findSelected } from '../src/engine/clickhouse/query/ask.ts'
import { insertSelection } from '../src/engine/clickhouse/rollup/build-rollup.ts'
import { reloadDictionaries } from '../src/engine/clickhouse/dictionaries/reload-dictionaries.ts'
import { readAgentNumbers } from '../src/engine/postgres/operator/agents.ts'
import { readPanel } from '../src/engine/postgres/operator/panels.ts'
import { findWrittenRows, noteWrittenRows } from '../src/engine/postgres/operator/synthetic-panels.ts'
import { takeTurns } from '../src/base/semaphore.ts'
import type { Synthesis } from './define-synthesis.ts'
import { writeFacts } from './facts.ts'
import type { SynthesisOptions } from './options.ts'
import { portions } from './portions.ts'
import type { Portion } from './slots.ts'
import type { OnStep, SynthesisStores } from './stores.ts'
import { syntheses } from './tests/index.ts'

/** Insertions under way at once: one generates while another is sorted and compressed. */
const insertionsAtOnce = 2

/** Rows of a test that the panel has afterwards. */
export type Written = { test: string; rows: number }

/** Writes the results of a registered panel. What is there already is not written again. */
export async function writeResults(
  { operator, ingest, dictionaries }: SynthesisStores,
  options: SynthesisOptions,
  onStep: OnStep,
): Promise<Written[]> {
  await reloadDictionaries(dictionaries, 'agents')
  const { id: panelId } = await readPanel(operator, options.panel)
  const numbers = await readAgentNumbers(operator, options.panel)
  const to = { database: ingest.database, panelId }
  const wanted = options.tests.filter(({ kinds }) => kinds.some((kind) => options.kinds.includes(kind)))
  const complete = await findWrittenRows(operator, options.panel)
  const rows = new Map<string, number>()
  for (const { key } of wanted) rows.set(key, await countResults(ingest, key, panelId))
  const unfinished = wanted.filter(({ key }) => (rows.get(key) ?? 0) < (complete.get(key) ?? Infinity))
  const inTurn = takeTurns(1) // the operator has one connection
  // All tests' insertions one after the other, so that nobody waits for the last one of each.
  await withSome(unfinished.flatMap(insertionsOf(options, numbers)), insertionsAtOnce, async (insertion) => {
    const { key, portion, progress } = insertion
    const name = ['synth', to.database, panelId, key, portion.firstDay, portion.firstAgent].join(' ')
    await insertSelection(ingest, name, writeFacts(insertion.synthesis, options, portion, to))
    progress.done += 1
    onStep({ step: key, ...progress })
    if (progress.done < progress.of) return
    const count = await countResults(ingest, key, panelId)
    rows.set(key, count)
    await inTurn(() => noteWrittenRows(operator, options.panel, key, count))
  })
  return wanted.map(({ key }) => ({ test: key, rows: rows.get(key) ?? 0 }))
}

type Insertion = { key: string; synthesis: Synthesis; portion: Portion; progress: { done: number; of: number } }

const insertionsOf =
  (options: SynthesisOptions, numbers: { first: number; last: number }) =>
  ({ key }: { key: string }): Insertion[] => {
    const synthesis = syntheses.find(({ test }) => test.key === key)
    if (synthesis === undefined) throw new Error(`nobody has written how results of ${key} come about`)
    const all = portions(synthesis, options, numbers)
    const progress = { done: 0, of: all.length }
    return all.map((portion) => ({ key, synthesis, portion, progress }))
  }

async function countResults(ingest: ClickHouse, table: string, panelId: number): Promise<number> {
  const name = sql`${identifier(ingest.database)}.${identifier(table)}`
  const [row] = await findSelected<{ rows: number | string }>(
    ingest,
    sql`SELECT count() AS rows FROM ${name} WHERE panel = ${bind('UInt32', panelId)}`,
  )
  return Number(row?.rows ?? 0)
}

/** Works on so many items at once. After a failure none is begun, and those under way are waited for. */
async function withSome<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = [...items]
  const workers = Array.from({ length: atOnce }, async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      await work(item).catch((error: unknown) => {
        rest.length = 0
        throw error
      })
    }
  })
  const outcomes = await Promise.allSettled(workers)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}
