import { bind, identifier, sql } from '../src/base/sql.ts'
import type { TestDefinition } from '../src/catalog/define-test.ts'
import type { ClickHouse } from '../src/engine/clickhouse/clickhouse.ts'
import { findSelected } from '../src/engine/clickhouse/query/ask.ts'
import { insertSelection } from '../src/engine/clickhouse/rollup/build-rollup.ts'
import { reloadDictionaries } from '../src/engine/clickhouse/dictionaries/reload-dictionaries.ts'
import { readAgentNumbers } from '../src/engine/postgres/operator/agents.ts'
import { readPanel } from '../src/engine/postgres/operator/panels.ts'
import {
  findWrittenRows,
  findWrittenUntil,
  recordWrittenRows,
  recordWrittenUntil,
} from '../src/engine/postgres/operator/synthetic-panels.ts'
import { semaphore } from '../src/base/semaphore.ts'
import type { Synthesis } from './define-synthesis.ts'
import { writeFacts } from './facts.ts'
import type { SynthesisOptions } from './options.ts'
import { portions, wholeRange, type Portion, type Range } from './portions.ts'
import { isWithin } from './slots.ts'
import type { OnStep, SynthesisStores } from './stores.ts'
import { syntheses } from './tests/index.ts'

/** Number of concurrent inserts. With two, ClickHouse generates the rows of one while it sorts and compresses the other. */
const insertionsAtOnce = 2

/** `rows` is the number of results that the panel has for the test, including those of earlier runs. */
export type Written = { test: string; rows: number }

/** Writes the results that a registered panel lacks, for the days that its options name. */
export async function writeResults(
  stores: SynthesisStores,
  options: SynthesisOptions,
  onStep: OnStep,
): Promise<Written[]> {
  const { operator, ingest, dictionaries } = stores
  await reloadDictionaries(dictionaries, 'agents')
  const { id: panelId } = await readPanel(operator, options.panel)
  const range = wholeRange(options)
  const complete = await findWrittenRows(operator, options.panel)
  const rows = new Map<string, number>()
  const wanted = testsOf(options)
  for (const { key } of wanted) rows.set(key, await countResults(ingest, key, panelId, range))
  const unfinished = wanted.filter(({ key }) => (rows.get(key) ?? 0) < (complete.get(key) ?? Infinity))
  const oneAtATime = semaphore(1) // the operator has one connection
  await insertResults(stores, options, { rangeOf: () => range, tests: unfinished, onStep }, async (key) => {
    const count = await countResults(ingest, key, panelId, range)
    rows.set(key, count)
    await oneAtATime(() => recordWrittenRows(operator, options.panel, key, count))
  })
  return wanted.map(({ key }) => ({ test: key, rows: rows.get(key) ?? 0 }))
}

/** Writes the results up to `until`, from the end of the days that the options name or of an earlier continuation. */
export async function continueResults(
  stores: SynthesisStores,
  options: SynthesisOptions,
  until: Temporal.Instant,
  onStep: OnStep,
): Promise<void> {
  const written = await findWrittenUntil(stores.operator, options.panel)
  const rangeOf = (key: string): Range => ({ from: written.get(key) ?? wholeRange(options).to, to: until })
  const tests = testsOf(options).filter(({ key }) => Temporal.Instant.compare(rangeOf(key).from, until) < 0)
  if (tests.length === 0) return
  await reloadDictionaries(stores.dictionaries, 'agents')
  await insertResults(stores, options, { rangeOf, tests, onStep }, async () => {})
  const keys = tests.map(({ key }) => key)
  await recordWrittenUntil(stores.operator, options.panel, keys, until)
}

const testsOf = ({ tests, kinds }: SynthesisOptions): TestDefinition[] =>
  tests.filter((test) => test.kinds.some((kind) => kinds.includes(kind)))

type Insertions = {
  readonly rangeOf: (test: string) => Range
  readonly tests: readonly TestDefinition[]
  readonly onStep: OnStep
}

/** `onComplete` is called after the last insert of a test. */
async function insertResults(
  { operator, ingest }: SynthesisStores,
  options: SynthesisOptions,
  { rangeOf, tests, onStep }: Insertions,
  onComplete: (key: string) => Promise<void>,
): Promise<void> {
  const { id: panelId } = await readPanel(operator, options.panel)
  const numbers = await readAgentNumbers(operator, options.panel)
  const to = { database: ingest.database, panelId }
  // One list for the inserts of all tests, so that no worker idles while the last insert of a test runs.
  await withSome(tests.flatMap(insertionsOf(rangeOf, numbers)), insertionsAtOnce, async (insertion) => {
    const { key, portion, progress } = insertion
    const name = ['synth', to.database, panelId, key, portion.from, portion.firstAgent].join(' ')
    await insertSelection(ingest, name, writeFacts(insertion.synthesis, options, portion, to))
    progress.done += 1
    onStep({ step: key, ...progress })
    if (progress.done === progress.of) await onComplete(key)
  })
}

type Insertion = { key: string; synthesis: Synthesis; portion: Portion; progress: { done: number; of: number } }

const insertionsOf =
  (rangeOf: Insertions['rangeOf'], numbers: { first: number; last: number }) =>
  ({ key }: { key: string }): Insertion[] => {
    const synthesis = syntheses.find(({ test }) => test.key === key)
    if (synthesis === undefined) throw new Error(`there is no synthesis for the results of ${key}`)
    const all = portions(synthesis, rangeOf(key), numbers)
    const progress = { done: 0, of: all.length }
    return all.map((portion) => ({ key, synthesis, portion, progress }))
  }

async function countResults(ingest: ClickHouse, table: string, panelId: number, range: Range): Promise<number> {
  const name = sql`${identifier(ingest.database)}.${identifier(table)}`
  const [row] = await findSelected<{ rows: number | string }>(
    ingest,
    sql`SELECT count() AS rows FROM ${name} WHERE panel = ${bind('UInt32', panelId)} AND ${isWithin(range)}`,
  )
  return Number(row?.rows ?? 0)
}

/** Processes `atOnce` items at a time. After a failure it begins no further item, and waits for those that are running. */
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
