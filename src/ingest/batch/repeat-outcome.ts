import { ingestLimits } from '../../base/limits.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { findFirstDuplicate, type RejectedPlace } from '../../compile/ingest/store-rows.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { findRows } from '../../engine/clickhouse/ingest/find-rows.ts'
import { nextNode, passOver } from '../../engine/clickhouse/next-node.ts'
import type { BatchTotals } from '../../engine/postgres/ingest/ingest-batches.ts'
import type { BatchOutcome, Rejection } from './batch.ts'

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
