/** Rows that were not stored, by what is wrong with them; `column` is empty when no single one is at fault. */
type RejectionCount = { reason: string; column: string; rows: number; first_row: number }

/** What became of the rows of a request: each is accepted, a duplicate of another in it, or rejected. */
export type IngestReport = {
  accepted: number
  duplicates: number
  rejected: number
  /** Rejected rows are kept under this name. */
  batch: string
  rejections: readonly RejectionCount[]
}
