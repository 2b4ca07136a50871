import type { Scope } from '../../base/caller.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import type { BatchTotals } from '../../engine/postgres/ingest/ingest-batches.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { csvRows, jsonRows, type RowSource } from '../../compile/ingest/row-source.ts'

export type IngestStores = {
  readonly postgres: Postgres
  /** A ClickHouse client whose user may insert results. */
  readonly clickhouse: ClickHouse
  /** A ClickHouse client whose user may reload dictionaries. */
  readonly dictionaries: ClickHouse
}

/** A batch: rows of one test that go into one insert. */
type Batch = {
  readonly test: TestDefinition
  readonly format: RowFormat
  readonly data: Uint8Array
  /** Id under which ClickHouse keeps rejected rows. If it is null, the id is derived from a hash of the rows. */
  readonly name: string | null
  readonly rowsBefore: number
  /** Path of the imported file; empty for an ingest request. */
  readonly source: string
  /** Aborts when the sender has left. The batch then stays unfinished until it is sent again. */
  readonly signal?: AbortSignal
} & BatchTerms

export type BatchTerms = {
  /** Accepts only agents of this panel. Without it, agents of any panel that the organisation owns are accepted. */
  readonly panel?: number
  /** If true, the rows are compared with those in ClickHouse, unless PostgreSQL has recorded that the whole batch is stored. */
  readonly anew?: boolean
}

/** Number of rows rejected for one reason and one column. */
export type Rejection = { reason: string; column: string; rows: number; kept_rows: number; first_row: number }

export type BatchOutcome = BatchTotals & { readonly rejections: readonly Rejection[] }

export type WriteBatch = (scope: Scope, batch: Batch) => Promise<BatchOutcome>

export type RowFormat = { readonly kind: 'csv'; readonly header: readonly string[] } | { readonly kind: 'ndjson' }

export const rowSource = (test: TestDefinition, format: RowFormat): RowSource =>
  format.kind === 'csv' ? csvRows(test, format.header) : jsonRows(test)

export const noOutcome: BatchOutcome = { accepted: 0, duplicates: 0, rejected: 0, rejections: [] }

/** Adds two outcomes. `other` belongs to a later part of the same stream. */
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
