import { bind, sql, type Sql } from '../../base/sql.ts'

/** What is left of agents that are being erased is no more to be seen, however long removing it takes. */
export const notErased = (erased: readonly number[]): Sql[] =>
  erased.length === 0 ? [] : [sql`agent NOT IN ${bind('Array(UInt32)', erased)}`]
