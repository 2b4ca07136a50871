import { identifier, join, sql, type Sql } from '../../base/sql.ts'

/** Columns by name, each an expression over the source's columns and over those named before it. */
export type Columns = Readonly<Record<string, Sql>>

/** The source's rows with columns added. */
export const adding = (columns: Columns, source: Sql): Sql => sql`SELECT *, ${named(columns)} FROM (${source})`

const named = (columns: Columns): Sql =>
  join(
    Object.entries(columns).map(([name, value]) => sql`${value} AS ${identifier(name)}`),
    ',\n  ',
  )
