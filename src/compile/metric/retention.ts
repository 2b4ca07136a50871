import { identifier, numberLiteral, sql, type Sql } from '../../base/sql.ts'

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

/** Counted from 1970. */
export const dayNumber = ({ epochMilliseconds }: Temporal.Instant): number => Math.floor(epochMilliseconds / 86_400_000)

/**
 * The first day of which every result is still there, wherever the agent: days are counted from 1970. What is older goes
 * part by part, late results weeks before the others of their day, and what is left of such a day must not be answered.
 * The first UTC day that is kept whole is the one after `today - keepDays`, and a local day in the far east begins on the
 * UTC day before.
 */
export const firstKeptDay = (keepDays: number | null, today: number): number =>
  keepDays === null ? 0 : Math.max(today - keepDays + 2, 0)

/** The same by the engine's clock, which is what it drops by. */
const firstKeptDate = (keepDays: number): Sql => sql`toDate(now('UTC')) - ${numberLiteral(keepDays - 2)}`

export const keptByDay = (keepDays: number | undefined, day: Sql): Sql[] =>
  keepDays === undefined ? [] : [sql`${day} >= ${firstKeptDate(keepDays)}`]

export const keptBySecond = (keepDays: number | undefined, second: Sql): Sql[] =>
  keepDays === undefined ? [] : [sql`${second} >= 86400 * toInt64(${firstKeptDate(keepDays)})`]
