import type { Validation } from '../../compile/ingest/validate-rows.ts'
import type { RowSource } from '../../compile/ingest/row-source.ts'
import { countMissing, countRejected, insertMissing, insertRejectedAgain } from '../../compile/ingest/staged-rows.ts'
import {
  countRejections,
  findFirstDuplicate,
  insertAccepted,
  insertRejected,
  type RejectedRange,
  stageRows,
} from '../../compile/ingest/store-rows.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { findRows } from '../../engine/clickhouse/ingest/find-rows.ts'
import { runInsert } from '../../engine/clickhouse/ingest/run-insert.ts'
import type { BatchOutcome, Rejection } from './batch.ts'
import { ingestLimits } from '../../base/limits.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { nextNode, withoutNode } from '../../engine/clickhouse/next-node.ts'
import type { BatchTotals } from '../../engine/postgres/ingest/ingest-batches.ts'

export type BatchWork = {
  readonly node: ClickHouse['nodes'][number]
  readonly validation: Validation
  readonly source: RowSource
  readonly data: Uint8Array
  /** Deduplication token, built from the content. ClickHouse ignores a second insert with the same token. */
  readonly token: string
  readonly place: RejectedRange
  /** Throws if this instance has lost the lease of the batch, or if the sender has left. */
  readonly assertGoesOn: () => void
}

/** Stores a new batch. It needs one insert if every row is accepted, and a second one to record rejected rows. */
export async function storeFirst(work: BatchWork): Promise<BatchOutcome> {
  const { node, validation, source, data, token, place } = work
  work.assertGoesOn()
  const facts = await runInsert(node, insertAccepted(validation, source), { token, data, settings: source.settings })
  if (facts.written === facts.read) return outcome(facts.read, [])
  work.assertGoesOn()
  await runInsert(node, insertRejected(validation, source, place), {
    token: `${token}-rejected`,
    data,
    settings: source.settings,
  })
  const rejections = await findRows<Rejection>(node, countRejections(validation, place))
  // The counts differ if the batch has duplicate rows, if an agent was registered between the two inserts, or if ClickHouse
  // ignored one of the inserts.
  if (facts.written + rowsOf(rejections) !== facts.read) return storeAgain(work, 1)
  return outcome(facts.read, rejections)
}

/**
 * Stores a batch that an earlier attempt may have stored in part: stages its rows and inserts the missing ones. A deduplication
 * token does not prove that its rows are stored: ClickHouse writes the token first and may be killed before it writes the rows.
 * So this function compares the staged rows with the table until none is missing.
 */
export async function storeAgain(work: BatchWork, attempt: number): Promise<BatchOutcome> {
  const { node, validation, data, token, place } = work
  const name = `${token}-${attempt}`
  work.assertGoesOn()
  const rows = await runInsert(node, stageRows(validation, work.source, name), {
    token: name,
    data,
    settings: work.source.settings,
  })
  await storeMissing(work, name)
  const rejections = await findRows<Rejection>(node, countRejected(validation, name, place.rowsBefore))
  if (rejections.length > 0) {
    await runInsert(node, insertRejectedAgain(validation, name, place), { token: `${name}-rejected` })
  }
  return outcome(rows.read, rejections)
}

async function storeMissing({ node, validation, token, assertGoesOn }: BatchWork, attempt: string): Promise<void> {
  // Insert the missing rows with up to three tokens, one after the other:
  // - The token of the first attempt. That attempt may still run, and ClickHouse then accepts only one of the two inserts.
  // - A token with a hash of all accepted rows, so that two attempts that accept the same rows insert them once.
  // - A token of this attempt alone.
  const tokens = [() => token, (name: string) => `${token}-${name}`, (name: string) => `${attempt}-${name}`]
  for (const tokenFor of tokens) {
    const [found] = await findRows<{ missing: number; name: string }>(node, countMissing(validation, attempt))
    if (found?.missing === 0) return
    assertGoesOn()
    await runInsert(node, insertMissing(validation, attempt), { token: tokenFor(found?.name ?? '') })
  }
  const [left] = await findRows<{ missing: number }>(node, countMissing(validation, attempt))
  if (left?.missing !== 0) throw new Error(`${left?.missing} rows of a batch were inserted and are not there`)
}

/** Computes the counts of a batch whose rows are all stored, except those in `rejections`. */
function outcome(rows: number, rejections: readonly Rejection[]): BatchOutcome {
  const duplicates = rowsOf(rejections.filter(({ reason }) => reason === 'duplicate_row'))
  const rejected = rowsOf(rejections) - duplicates
  return { accepted: rows - duplicates - rejected, duplicates, rejected, rejections }
}

const rowsOf = (rejections: readonly Rejection[]): number => rejections.reduce((sum, { rows }) => sum + rows, 0)

/**
 * Returns the outcome of a batch that is already completely stored. The only possible rejections of such a batch are
 * duplicates. If it had duplicates, this function finds the first of them in ClickHouse. It finds none if the duplicates were
 * recorded under the name of another body, whose row numbers differ.
 */
export async function repeatOutcome(
  clickhouse: ClickHouse,
  test: TestDefinition,
  place: RejectedRange,
  totals: BatchTotals,
): Promise<BatchOutcome> {
  const { accepted, duplicates: rows } = totals
  if (rows === 0) return { ...totals, rejections: [] }
  const node = nextNode(clickhouse)
  const duplicateQuery = findFirstDuplicate({ test, database: clickhouse.database }, place, accepted + rows)
  try {
    const found = await findRows<Pick<Rejection, 'reason' | 'column' | 'first_row'>>(node, duplicateQuery)
    const counts = { rows, kept_rows: Math.min(rows, ingestLimits.rejectedRowsKeptMax) }
    return { ...totals, rejections: found.map((first) => ({ ...first, ...counts })) }
  } catch (error) {
    const others = withoutNode(clickhouse, node, error)
    if (others === null) throw error
    return repeatOutcome(others, test, place, totals)
  }
}
