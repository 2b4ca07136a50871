import { isDeepStrictEqual } from 'node:util'
import { bind, identifier, sql } from '../../base/sql.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { findSelected } from '../../engine/clickhouse/find-selected.ts'
import { insertSelection } from '../../engine/clickhouse/insert-selection.ts'
import { reloadDictionaries } from '../../engine/clickhouse/reload-dictionaries.ts'
import { readAgentNumbers } from '../../engine/postgres/operator/agents.ts'
import { OperatorError, type Operator } from '../../engine/postgres/operator/operator.ts'
import { findPanels, readPanel } from '../../engine/postgres/operator/panels.ts'
import {
  createSyntheticPanel,
  readSyntheticPanel,
  type SyntheticPanel,
} from '../../engine/postgres/operator/synthetic-panels.ts'
import { writeFacts } from './facts.ts'
import { recordOf, type SynthesisOptions } from './options.ts'
import { portions } from './portions.ts'
import { registerMembers } from './register.ts'
import { syntheses } from './tests/index.ts'

/** The stores a panel is written to: as the operator, as the user that inserts, as the user that reloads dictionaries. */
export type SynthesisStores = { operator: Operator; ingest: ClickHouse; dictionaries: ClickHouse }

/** What is being done, how much of it is done, and how much there is. */
export type OnStep = (step: { readonly step: string; readonly done: number; readonly of: number }) => void

/** Insertions under way at once: one generates while another is sorted and compressed. */
const insertionsAtOnce = 2

/**
 * Registers a synthetic panel: packages, agents, timelines. Run again with the same options it completes what is missing;
 * with others on the same panel it refuses.
 */
export async function registerPanel(stores: SynthesisStores, options: SynthesisOptions, onStep: OnStep): Promise<void> {
  const { operator } = stores
  const present = await readSameSynthesis(operator, options)
  if (present === null) {
    const { panel: key, name, owner } = options
    await createSyntheticPanel(operator, { key, name, owner }, recordOf(options))
  }
  if (present?.isRegistered !== true) await registerMembers(stores, options, onStep)
}

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
  const written: Written[] = []
  for (const { key } of wanted) {
    const synthesis = syntheses.find(({ test }) => test.key === key)
    if (synthesis === undefined) throw new Error(`nobody has written how results of ${key} come about`)
    const all = portions(synthesis, options, numbers)
    let done = 0
    await withSome(all, insertionsAtOnce, async (portion) => {
      await insertSelection(ingest, writeFacts(synthesis, options, portion, to))
      onStep({ step: key, done: (done += 1), of: all.length })
    })
    written.push({ test: key, rows: await countResults(ingest, key, panelId) })
  }
  return written
}

async function countResults(ingest: ClickHouse, table: string, panelId: number): Promise<number> {
  const name = sql`${identifier(ingest.database)}.${identifier(table)}`
  const [row] = await findSelected<{ rows: number | string }>(
    ingest,
    sql`SELECT count() AS rows FROM ${name} WHERE panel = ${bind('UInt32', panelId)}`,
  )
  return Number(row?.rows ?? 0)
}

async function readSameSynthesis(operator: Operator, options: SynthesisOptions): Promise<SyntheticPanel | null> {
  const panels = await findPanels(operator)
  const panel = panels.find(({ key }) => key === options.panel)
  if (panel === undefined) return null
  const present = await readSyntheticPanel(operator, options.panel)
  if (present !== null && panel.owner === options.owner && isDeepStrictEqual(present.record, recordOf(options)))
    return present
  const made = present === null ? 'which is not a synthetic one' : `made from ${JSON.stringify(present.record)}`
  throw new OperatorError(
    `There is a panel "${options.panel}" of ${panel.owner} already, ${made}. Give the same options to complete it, or another --panel.`,
  )
}

async function withSome<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values()
  const workers = Array.from({ length: atOnce }, async () => {
    for (const item of rest) await work(item)
  })
  await Promise.all(workers)
}
