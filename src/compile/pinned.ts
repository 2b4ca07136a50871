import { bind, sql, type Sql } from '../base/sql.ts'

/** Leaves out what was stored from `storedBefore` on: whoever asks again gets the same rows. */
export const pinned = (storedBefore: Temporal.Instant | undefined): Sql[] =>
  storedBefore === undefined
    ? []
    : [
        sql`ingested_at < ${bind("DateTime64(3, 'UTC')", storedBefore.toString({ fractionalSecondDigits: 3 }).slice(0, -1).replace('T', ' '))}`,
      ]
