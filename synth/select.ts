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

/**
 * The columns that these expressions use, directly or through other columns. ClickHouse resolves every column at every level
 * of the statement, so it plans a statement without the other columns in a fraction of the time.
 */
export function needed(columns: Columns, by: readonly Sql[]): Columns {
  const words = new Set(by.flatMap(wordsOf))
  const kept = Object.entries(columns)
    .toReversed()
    .filter(([name, value]) => {
      if (!words.has(name)) return false
      for (const word of wordsOf(value)) words.add(word)
      return true
    })
  return Object.fromEntries(kept.toReversed())
}

const wordsOf = (value: Sql): string[] => statement(value).text.match(/[a-z_]\w*/gi) ?? []

function layers(columns: Columns): Columns[] {
  const uses = Object.groupBy(Object.values(columns).flatMap(wordsOf), (word) => word)
  const levels = new Map<string, number>()
  const built: Record<string, Sql>[] = []
  for (const [name, value] of Object.entries(columns)) {
    const below = wordsOf(value).flatMap((word) => {
      const level = levels.get(word)
      return level === undefined ? [] : [(uses[word]?.length ?? 0) > 1 ? level + 1 : level]
    })
    const level = Math.max(0, ...below)
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
