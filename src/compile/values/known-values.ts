import { bind, identifier, literal, sql, statement, type Sql, type Statement } from '../../base/sql.ts'
import { notingMargin, type NotedTest } from './note-values.ts'
import { factValues, notedFacts } from './value-tables.ts'

/** Values of a column that a caller filters by, and the tests whose results it may see. */
export type AskedColumn = {
  readonly column: string
  readonly tests: readonly string[]
  readonly values: readonly string[]
}

/** Those of the values that are listed, each with its column. */
export function findListed(database: string, panels: readonly number[], asked: readonly AskedColumn[]): Statement {
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
 * Those of the values that results of a test have which came too late to be listed. A row with an empty column says how many
 * nodes have been gone through: without some of them nothing is known of what came too late.
 */
export function findRecent(
  database: string,
  panels: readonly number[],
  asked: readonly Pick<AskedColumn, 'column' | 'values'>[],
  { key, columns }: NotedTest,
): Statement {
  const latest = sql`SELECT max(upto) AS latest FROM ${identifier(database)}.${identifier(notedFacts.name)}
  WHERE test = ${literal(key)} AND columns = ${literal(columns.join())} GROUP BY node`
  const said = asked.map(
    ({
      column,
      values,
    }) => sql`SELECT ${literal(column)} AS column, toString(assumeNotNull(${identifier(column)})) AS value
FROM ${identifier(database)}.${identifier(key)}
WHERE panel IN ${bind('Array(UInt32)', panels)} AND ingested_at >= (SELECT min(latest) - ${notingMargin} FROM (${latest}))
  AND isNotNull(${identifier(column)}) AND value IN ${bind('Array(String)', values)}
GROUP BY value`,
  )
  return statement(united([sql`SELECT '' AS column, toString(count()) AS value FROM (${latest})`, ...said]))
}

const united = (parts: readonly Sql[]): Sql => parts.reduce((all, one) => sql`${all}\nUNION ALL ${one}`)
