import { identifier, numberLiteral, sql, type Sql } from '../base/sql.ts'

/** For how many days after the time in `column` a table keeps a row; null: for ever. */
export type Retention = { readonly table: string; readonly column: string; readonly days: number | null }

export const keepFor = (database: string, { table, column }: Retention, days: number): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} MODIFY TTL toDateTime(${identifier(column)}) + toIntervalDay(${numberLiteral(days)})`

export const keepForEver = (database: string, table: string): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} REMOVE TTL`
