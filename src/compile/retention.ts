import { identifier, numberLiteral, sql, type Sql } from '../base/sql.ts'

/** For how many days after the time in `column` a table keeps a row; null: for ever. */
export type Retention = { readonly table: string; readonly column: string; readonly days: number | null }

/** Whole parts go, when their last row has had its time: rewriting them for the sake of days would cost more than the days. */
export const wholeParts = sql`ttl_only_drop_parts = 1`

/** For a table that was created without it. */
export const dropWhole = (database: string, table: string): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} MODIFY SETTING ${wholeParts}`

const expiry = (column: string, days: number): Sql =>
  sql`toDateTime(${identifier(column)}) + toIntervalDay(${numberLiteral(days)})`

/**
 * The line of a new table. Not left to a change afterwards: where a table has replicas, the first one's change is what the
 * second one has to be created with.
 */
export const keptFor = (column: string, days: number | null): Sql =>
  days === null ? sql`` : sql`TTL ${expiry(column, days)}\n`

export const keepFor = (database: string, { table, column }: Retention, days: number): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} MODIFY TTL ${expiry(column, days)}`

export const keepForEver = (database: string, table: string): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} REMOVE TTL`
