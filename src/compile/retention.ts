import { identifier, numberLiteral, sql, type Sql } from '../base/sql.ts'

/** For how many days after the time in `column` a table keeps a row; null: for ever. */
export type Retention = { readonly table: string; readonly column: string; readonly days: number | null }

/** Whole parts go, when their last row has had its time: rewriting them for the sake of days would cost more than the days. */
export const dropWhole = (database: string, table: string): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} MODIFY SETTING ttl_only_drop_parts = 1`

export const keepFor = (database: string, { table, column }: Retention, days: number): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} MODIFY TTL toDateTime(${identifier(column)}) + toIntervalDay(${numberLiteral(days)})`

export const keepForEver = (database: string, table: string): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} REMOVE TTL`
