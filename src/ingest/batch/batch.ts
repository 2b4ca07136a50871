import type { Scope } from '../../base/caller.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import type { BatchTotals } from '../../engine/postgres/ingest/ingest-batches.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import type { RowFormat } from './row-format.ts'

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
