import { bind, identifier, literal, sql, statement, type Sql, type Statement } from '../../base/sql.ts'
import type { ScannedTest } from './record-values.ts'
import { factValues, scannedFacts } from './value-tables.ts'

export type FactValueSearch = {
  readonly column: string
  readonly panels: readonly number[]
  readonly tests: readonly string[]
  readonly text: string
  readonly place: 'prefix' | 'inside'
}

/**
 * Finds distinct values in order. ClickHouse reads at most the first `rowsMax` rows. `rows` is the number of these rows that
 * have the value.
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

/**
 * Reads the age of the list of values in seconds (`age`), and the number of pairs of node and test that it covers (`parts`).
 */
export function readAge(database: string, tests: readonly ScannedTest[]): Statement {
  const wanted: Sql = sql`${bind(
    'Array(String)',
    tests.map(({ key, columns }) => `${key} ${columns.join()}`),
  )}`
  return statement(sql`SELECT toUInt32(count()) AS parts, toUInt32(greatest(0, dateDiff('second', min(latest), now64(3, 'UTC')))) AS age
FROM (
  SELECT max(upto) AS latest FROM ${identifier(database)}.${identifier(scannedFacts.name)}
  WHERE concat(test, ' ', columns) IN ${wanted} GROUP BY node, test
)`)
}
