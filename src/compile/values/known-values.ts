import { bind, identifier, literal, sql, statement, type Sql, type Statement } from '../../base/sql.ts'
import { recordingMargin, type ScannedTest } from './record-values.ts'
import { factValues, scannedFacts } from './value-tables.ts'

/** A column that a caller filters by, the values of the filter, and the tests whose results the caller may read. */
export type RequestedColumn = {
  readonly column: string
  readonly tests: readonly string[]
  readonly values: readonly string[]
}

/** Finds the values that are in the list of known values. Returns each with its column. */
export function findListed(database: string, panels: readonly number[], asked: readonly RequestedColumn[]): Statement {
  const listed = asked.map(({ column, tests, values }) => {
    const sought = bind('Array(String)', values)
    return sql`SELECT ${literal(column)} AS column, value
FROM ${identifier(database)}.${identifier(factValues.name)}
WHERE column = ${literal(column)} AND folded IN arrayMap(one -> lowerUTF8(one), ${sought})
  AND value IN ${sought} AND panel IN ${bind('Array(UInt32)', panels)}
  AND test IN ${bind('Array(String)', tests)}
GROUP BY value`
  })
  return statement(united(listed))
}

/**
 * Finds values in the results of a test that were stored after the list of values was last updated. One additional row, with
 * an empty column, contains the number of nodes that the job has scanned. If the job has not scanned every node, it is unknown
 * whether a value exists.
 */
export function findRecent(
  database: string,
  panels: readonly number[],
  asked: readonly Pick<RequestedColumn, 'column' | 'values'>[],
  { key, columns }: ScannedTest,
): Statement {
  const latest = sql`SELECT max(upto) AS latest FROM ${identifier(database)}.${identifier(scannedFacts.name)}
  WHERE test = ${literal(key)} AND columns = ${literal(columns.join())} GROUP BY node`
  const said = asked.map(
    ({
      column,
      values,
    }) => sql`SELECT ${literal(column)} AS column, toString(assumeNotNull(${identifier(column)})) AS value
FROM ${identifier(database)}.${identifier(key)}
WHERE panel IN ${bind('Array(UInt32)', panels)} AND ingested_at >= (SELECT min(latest) - ${recordingMargin} FROM (${latest}))
  AND isNotNull(${identifier(column)}) AND value IN ${bind('Array(String)', values)}
GROUP BY value`,
  )
  return statement(united([sql`SELECT '' AS column, toString(count()) AS value FROM (${latest})`, ...said]))
}

const united = (parts: readonly Sql[]): Sql => parts.reduce((all, one) => sql`${all}\nUNION ALL ${one}`)
