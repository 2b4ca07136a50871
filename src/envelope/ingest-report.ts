/** Number of rows rejected for one reason. `column` is empty if the reason does not concern a single column. */
type RejectionCount = { reason: string; column: string; rows: number; kept_rows: number; first_row: number }

/**
 * The three counts add up to the rows of the request: a row is accepted, a duplicate of another row of the request, or
 * rejected.
 */
export type IngestReport = {
  accepted: number
  duplicates: number
  rejected: number
  /** Id under which the operator finds the first rejected rows, which the service keeps. */
  batch: string
  rejections: readonly RejectionCount[]
}
