import type { Sql } from '../base/sql.ts'

/** A kind of result that is impossible, extremely unlikely or unreliable. */
export type PrefilterRule = {
  readonly name: string
  readonly reason: string
  /** Goes up with every change of the condition, so that a published figure can say by which rules it was made. */
  readonly version: number
  /** True for rows to leave out. Null, that is, an operand is missing, leaves nothing out. */
  readonly excludes: Sql
}
