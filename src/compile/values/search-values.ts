import { bind, identifier, literal, sql, statement, type Sql, type Statement } from '../../base/sql.ts'
import type { NotedTest } from './note-values.ts'
import { factValues, notedFacts } from './value-tables.ts'

export type FactValueSearch = {
  readonly column: string
  readonly panels: readonly number[]
  readonly tests: readonly string[]
  readonly text: string
  readonly place: 'prefix' | 'inside'
}

/**
 * Distinct values in order, each with the number of rows that say it: the first `rowsMax` rows are looked at. Read in the
 * order of the table, so that the engine stops there.
 */
export function searchFactValues(database: string, search: FactValueSearch, rowsMax: number): Statement {
  const { column, panels, tests, text, place } = search
  const needle = sql`lowerUTF8(${bind('String', text)})`
  const isPrefix = sql`startsWith(folded, ${needle})`
  return statement(sql`SELECT value, toUInt32(count()) AS rows FROM (
  SELECT folded, value FROM ${identifier(database)}.${identifier(factValues.name)}
  WHERE panel IN ${bind('Array(UInt32)', panels)} AND test IN ${bind('Array(String)', tests)} AND column = ${literal(column)}
    AND ${place === 'prefix' ? isPrefix : sql`position(folded, ${needle}) > 0 AND NOT ${isPrefix}`}
  ORDER BY folded, value LIMIT ${bind('UInt64', rowsMax)}
) GROUP BY folded, value ORDER BY folded, value`)
}

/** How old the list is, in seconds, and how many nodes and tests it is of. */
export function readAge(database: string, tests: readonly NotedTest[]): Statement {
  const wanted: Sql = sql`${bind(
    'Array(String)',
    tests.map(({ key, columns }) => `${key} ${columns.join()}`),
  )}`
  return statement(sql`SELECT toUInt32(count()) AS parts, toUInt32(greatest(0, dateDiff('second', min(latest), now64(3, 'UTC')))) AS age
FROM (
  SELECT max(upto) AS latest FROM ${identifier(database)}.${identifier(notedFacts.name)}
  WHERE concat(test, ' ', columns) IN ${wanted} GROUP BY node, test
)`)
}
