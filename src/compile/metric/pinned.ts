import { bind, identifier, sql, type Sql } from '../../base/sql.ts'

/** Leaves out what was stored from `storedBefore` on: whoever asks again gets the same rows. */
export const pinned = (storedBefore: Temporal.Instant | undefined): Sql[] =>
  storedBefore === undefined ? [] : [sql`ingested_at < ${instant(storedBefore)}`]

/** In milliseconds, when the last of a test's results was stored that bears a time from `since` on; 0 where none does. */
export const findLatestSince = (
  database: string,
  test: string,
  panels: readonly number[],
  since: Temporal.Instant,
): Sql =>
  sql`SELECT toUnixTimestamp64Milli(max(ingested_at)) FROM ${identifier(database)}.${identifier(test)}
WHERE panel IN ${bind('Array(UInt32)', panels)} AND ingested_at >= ${instant(since)}`

const instant = (at: Temporal.Instant) =>
  bind("DateTime64(3, 'UTC')", at.toString({ fractionalSecondDigits: 3 }).slice(0, -1).replace('T', ' '))
