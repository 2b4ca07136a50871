import { identifier, join, sql, statement, type Sql } from '../src/base/sql.ts'

/** Columns by name, each an expression over the source's columns and over those named before it. */
export type Columns = Readonly<Record<string, Sql>>

/** The source's rows with columns added. */
export const adding = (columns: Columns, source: Sql): Sql => sql`SELECT *, ${named(columns)} FROM (${source})`

/**
 * The same, each column one level above those it is made of: for columns that are made of each other many times over. In a
 * single SELECT the engine takes a name for the whole expression behind it, and the time to plan the query grows with
 * every path through the names; a level costs a little too.
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
