import type { Sql } from '../base/sql.ts'

/** A rule that excludes results which are impossible, extremely unlikely or unreliable. */
export type PrefilterRule = {
  readonly name: string
  readonly reason: string
  /**
   * Increases with every change of the condition. A published result can then name the version of the rules that it was
   * computed with.
   */
  readonly version: number
  /**
   * Condition on a row: true excludes the row. If an operand is missing, the condition is null, and the row is not excluded.
   */
  readonly excludes: Sql
}
