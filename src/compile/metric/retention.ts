import { identifier, numberLiteral, sql, type Sql } from '../../base/sql.ts'

/** How long a table keeps a row: for `days` days after the time in `column`, or forever if `days` is null. */
export type Retention = { readonly table: string; readonly column: string; readonly days: number | null }

/**
 * ClickHouse drops a part as a whole, when its last row has expired. To remove single days, it would have to rewrite parts,
 * which costs more.
 */
export const wholeParts = sql`ttl_only_drop_parts = 1`

/** Adds the setting to a table that was created without it. */
export const dropWhole = (database: string, table: string): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} MODIFY SETTING ${wholeParts}`

const expiry = (column: string, days: number): Sql =>
  sql`toDateTime(${identifier(column)}) + toIntervalDay(${numberLiteral(days)})`

/** The TTL is part of CREATE TABLE, because ClickHouse creates a second replica only with the same TTL as the first. */
export const keptFor = (column: string, days: number | null): Sql =>
  days === null ? sql`` : sql`TTL ${expiry(column, days)}\n`

export const keepFor = (database: string, { table, column }: Retention, days: number): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} MODIFY TTL ${expiry(column, days)}`

export const keepForEver = (database: string, table: string): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} REMOVE TTL`

/** The number of days since 1970-01-01. */
export const dayNumber = ({ epochMilliseconds }: Temporal.Instant): number => Math.floor(epochMilliseconds / 86_400_000)

/**
 * The first local day (in days since 1970) for which all results still exist, for agents in every time zone. ClickHouse drops
 * old results part by part: some results of a day can be dropped weeks before others. No response may use the remaining results
 * of such a day. The first complete UTC day is the day after `today - keepDays`. In the far east, a local day begins on the
 * previous UTC day, so one more day is added.
 */
export const firstKeptDay = (keepDays: number | null, today: number): number =>
  keepDays === null ? 0 : Math.max(today - keepDays + 2, 0)

/** The first complete day by ClickHouse's clock, which decides what ClickHouse drops. */
const firstKeptDate = (keepDays: number): Sql => sql`toDate(now('UTC')) - ${numberLiteral(keepDays - 2)}`

export const keptByDay = (keepDays: number | undefined, day: Sql): Sql[] =>
  keepDays === undefined ? [] : [sql`${day} >= ${firstKeptDate(keepDays)}`]

export const keptBySecond = (keepDays: number | undefined, second: Sql): Sql[] =>
  keepDays === undefined ? [] : [sql`${second} >= 86400 * toInt64(${firstKeptDate(keepDays)})`]
