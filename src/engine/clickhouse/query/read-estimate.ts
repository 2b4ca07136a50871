import type { Scope } from '../../../base/caller.ts'
import type { Statement } from '../../../base/sql.ts'
import { findPoints } from './find-points.ts'
import type { ClickHouse } from '../clickhouse.ts'
import type { AwaitedOrigin } from './query-origin.ts'

/** What the engine would have to read. */
export type Estimate = { readonly parts: number; readonly rows: number; readonly marks: number }

export async function readEstimate(
  scope: Scope,
  clickhouse: ClickHouse,
  { text, params }: Statement,
  origin: AwaitedOrigin,
): Promise<Estimate> {
  const rows = await findPoints(scope, clickhouse, { text: `EXPLAIN ESTIMATE ${text}`, params }, origin)
  const sum = (column: number): number => rows.reduce((all, row) => all + Number(row[column]), 0)
  return { parts: sum(2), rows: sum(3), marks: sum(4) }
}
