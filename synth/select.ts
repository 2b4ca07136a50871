import { identifier, join, sql, statement, type Sql } from '../src/base/sql.ts'

/** Columns by name. Each is an expression over columns of the source and over columns before it in this list. */
export type Columns = Readonly<Record<string, Sql>>

export const adding = (columns: Columns, source: Sql): Sql => sql`SELECT *, ${named(columns)} FROM (${source})`

/**
 * Adds columns with nested SELECTs: a column is one level above the columns that it uses. For columns that use each other many
 * times: in a single SELECT ClickHouse replaces a name by its whole expression, and the time to plan the query grows with every
 * path through the names. Each level costs a little too.
 */
export const addingInLayers = (columns: Columns, source: Sql): Sql =>
  layers(columns).reduce((below, layer) => adding(layer, below), source)

function layers(columns: Columns): Columns[] {
  const levels = new Map<string, number>()
  const built: Record<string, Sql>[] = []
  for (const [name, value] of Object.entries(columns)) {
    const words = statement(value).text.match(/[a-z_]\w*/gi) ?? []
    const level = Math.max(-1, ...words.map((word) => levels.get(word) ?? -1)) + 1
    levels.set(name, level)
    built[level] = { ...built[level], [name]: value }
  }
  return built
}

const named = (columns: Columns): Sql =>
  join(
    Object.entries(columns).map(([name, value]) => sql`${value} AS ${identifier(name)}`),
    ',\n  ',
  )
