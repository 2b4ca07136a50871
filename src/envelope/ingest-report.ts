/** Rows that were not stored, by what is wrong with them; `column` is empty when no single one is at fault. */
type RejectionCount = { reason: string; column: string; rows: number; kept_rows: number; first_row: number }

/** What became of the rows of a request: each is accepted, a duplicate of another in it, or rejected. */
export type IngestReport = {
  accepted: number
  duplicates: number
  rejected: number
  /** Name under which the first rejected rows are kept. */
  batch: string
  rejections: readonly RejectionCount[]
}
