import type { Scope } from '../../base/caller.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import type { BatchTotals } from '../../engine/postgres/ingest/ingest-batches.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { csvRows, jsonRows, type RowSource } from '../../compile/ingest/row-source.ts'

export type IngestStores = {
  readonly postgres: Postgres
  /** The engine as the user that inserts, and as the one that reloads dictionaries. */
  readonly clickhouse: ClickHouse
  readonly dictionaries: ClickHouse
}

/** Rows of one test, few enough to be stored as one. */
type Batch = {
  readonly test: TestDefinition
  readonly format: RowFormat
  readonly data: Uint8Array
  /** What rejected rows are found by; null for a name made of the rows. */
  readonly name: string | null
  readonly rowsBefore: number
  /** The file it came from, empty for a request. */
  readonly source: string
  /** Aborted when the sender has left: the batch stays as begun until it is sent again. */
  readonly signal?: AbortSignal
} & BatchTerms

export type BatchTerms = {
  /** Only agents on this panel; left out, on any of the organisation's own. */
  readonly panel?: number
  /** Compared with what is stored, unless it is remembered that all of it is. */
  readonly anew?: boolean
}

/** Rows that were not stored, by what is wrong with them. */
export type Rejection = { reason: string; column: string; rows: number; kept_rows: number; first_row: number }

export type BatchOutcome = BatchTotals & { readonly rejections: readonly Rejection[] }

export type WriteBatch = (scope: Scope, batch: Batch) => Promise<BatchOutcome>

/** How the bytes of a batch are to be read. */
export type RowFormat = { readonly kind: 'csv'; readonly header: readonly string[] } | { readonly kind: 'ndjson' }

export const rowSource = (test: TestDefinition, format: RowFormat): RowSource =>
  format.kind === 'csv' ? csvRows(test, format.header) : jsonRows(test)

export const noOutcome: BatchOutcome = { accepted: 0, duplicates: 0, rejected: 0, rejections: [] }

/** Of two batches of the same rows, one before the other. */
export const addOutcome = (one: BatchOutcome, other: BatchOutcome): BatchOutcome => ({
  accepted: one.accepted + other.accepted,
  duplicates: one.duplicates + other.duplicates,
  rejected: one.rejected + other.rejected,
  rejections: addRejections([...one.rejections, ...other.rejections]),
})

function addRejections(all: readonly Rejection[]): Rejection[] {
  const sums = new Map<string, Rejection>()
  for (const { reason, column, rows, kept_rows: kept, first_row: row } of all) {
    const key = `${reason} ${column}`
    const sum = sums.get(key) ?? { rows: 0, kept_rows: 0, first_row: row }
    const [rowsSum, keptSum] = [sum.rows + rows, sum.kept_rows + kept]
    sums.set(key, { reason, column, rows: rowsSum, kept_rows: keptSum, first_row: Math.min(sum.first_row, row) })
  }
  return [...sums.values()]
}
