import type { Judgement } from '../../compile/ingest/judge-rows.ts'
import type { RowSource } from '../../compile/ingest/row-source.ts'
import { countMissing, countRejected, insertMissing, insertRejectedAgain } from '../../compile/ingest/staged-rows.ts'
import {
  countTold,
  findFirstDuplicate,
  insertAccepted,
  insertRejected,
  type RejectedPlace,
  stageRows,
} from '../../compile/ingest/store-rows.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { findRows } from '../../engine/clickhouse/ingest/find-rows.ts'
import { runInsert } from '../../engine/clickhouse/ingest/run-insert.ts'
import type { BatchOutcome, Rejection } from './batch.ts'
import { ingestLimits } from '../../base/limits.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { nextNode, passOver } from '../../engine/clickhouse/next-node.ts'
import type { BatchTotals } from '../../engine/postgres/ingest/ingest-batches.ts'

export type BatchWork = {
  readonly node: ClickHouse['nodes'][number]
  readonly judgement: Judgement
  readonly source: RowSource
  readonly data: Uint8Array
  /** Made of the content: the engine ignores a second insert of it. */
  readonly token: string
  readonly place: RejectedPlace
  /** Throws when the batch is no longer ours to store, or nobody waits for it. */
  readonly assertGoesOn: () => void
}

/** One pass when every row is fine, a second one for those that are not. */
export async function storeFirst(work: BatchWork): Promise<BatchOutcome> {
  const { node, judgement, source, data, token, place } = work
  work.assertGoesOn()
  const facts = await runInsert(node, insertAccepted(judgement, source), { token, data, settings: source.settings })
  if (facts.written === facts.read) return outcome(facts.read, [])
  work.assertGoesOn()
  await runInsert(node, insertRejected(judgement, source, place), {
    token: `${token}-rejected`,
    data,
    settings: source.settings,
  })
  const rejections = await findRows<Rejection>(node, countTold(judgement, place))
  // Some rows repeat another; or an agent became known between the two, or the engine has ignored one of them.
  if (facts.written + rowsOf(rejections) !== facts.read) return storeAgain(work, 1)
  return outcome(facts.read, rejections)
}

/**
 * For a batch that somebody has begun: puts its rows aside, and stores those that are not there. The engine's memory of
 * tokens is no proof that rows are: it is written before they are, and an engine killed in between has one without the
 * other. So the table itself is asked, until nothing is missing.
 */
export async function storeAgain(work: BatchWork, attempt: number): Promise<BatchOutcome> {
  const { node, judgement, data, token, place } = work
  const name = `${token}-${attempt}`
  work.assertGoesOn()
  const rows = await runInsert(node, stageRows(judgement, work.source, name), {
    token: name,
    data,
    settings: work.source.settings,
  })
  await storeMissing(work, name)
  const rejections = await findRows<Rejection>(node, countRejected(judgement, name, place.rowsBefore))
  if (rejections.length > 0) {
    await runInsert(node, insertRejectedAgain(judgement, name, place), { token: `${name}-rejected` })
  }
  return outcome(rows.read, rejections)
}

async function storeMissing({ node, judgement, token, assertGoesOn }: BatchWork, attempt: string): Promise<void> {
  // First the token of the first attempt, which may still be under way: only one of the two is then taken. What is
  // missing afterwards is named by all that can be stored, so that two who judge alike add it once; at last by the attempt.
  const tokens = [() => token, (name: string) => `${token}-${name}`, (name: string) => `${attempt}-${name}`]
  for (const tokenFor of tokens) {
    const [found] = await findRows<{ missing: number; name: string }>(node, countMissing(judgement, attempt))
    if (found?.missing === 0) return
    assertGoesOn()
    await runInsert(node, insertMissing(judgement, attempt), { token: tokenFor(found?.name ?? '') })
  }
  const [left] = await findRows<{ missing: number }>(node, countMissing(judgement, attempt))
  if (left?.missing !== 0) throw new Error(`${left?.missing} rows of a batch were inserted and are not there`)
}

/** Whatever is not among the rejections is stored: all rows are one or the other. */
function outcome(rows: number, rejections: readonly Rejection[]): BatchOutcome {
  const duplicates = rowsOf(rejections.filter(({ reason }) => reason === 'duplicate_row'))
  const rejected = rowsOf(rejections) - duplicates
  return { accepted: rows - duplicates - rejected, duplicates, rejected, rejections }
}

const rowsOf = (rejections: readonly Rejection[]): number => rejections.reduce((sum, { rows }) => sum + rows, 0)

/**
 * What was answered of a batch all of which is stored. Only rows that repeat another were told of, and only where there are
 * some is the engine asked for the first. What a body of another name told is not found: its rows are numbered otherwise.
 */
export async function repeatOutcome(
  clickhouse: ClickHouse,
  test: TestDefinition,
  place: RejectedPlace,
  totals: BatchTotals,
): Promise<BatchOutcome> {
  const { accepted, duplicates: rows } = totals
  if (rows === 0) return { ...totals, rejections: [] }
  const node = nextNode(clickhouse)
  const told = findFirstDuplicate({ test, database: clickhouse.database }, place, accepted + rows)
  try {
    const found = await findRows<Pick<Rejection, 'reason' | 'column' | 'first_row'>>(node, told)
    const counts = { rows, kept_rows: Math.min(rows, ingestLimits.rejectedRowsKeptMax) }
    return { ...totals, rejections: found.map((first) => ({ ...first, ...counts })) }
  } catch (error) {
    const others = passOver(clickhouse, node, error)
    if (others === null) throw error
    return repeatOutcome(others, test, place, totals)
  }
}
