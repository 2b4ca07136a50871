import { limits } from '../../base/limits.ts'
import { bind, identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { factValues, notedFacts, rowsTable } from './value-tables.ts'

/** A node whose facts are gone through. */
export type NotingNode = { readonly database: string; readonly isSingle: boolean; readonly number: number }

/** A test and those of its columns whose values are listed. */
export type NotedTest = { readonly key: string; readonly columns: readonly string[] }

export const notedTests = ({ tests, dimensions }: Catalog): NotedTest[] =>
  tests
    .map((test) => ({ key: test.key, columns: valueColumns(test, dimensions) }))
    .filter((test) => test.columns.length > 0)

function valueColumns(test: TestDefinition, dimensions: Catalog['dimensions']): string[] {
  const own = new Set(test.columns.map(({ name }) => name))
  return dimensions.flatMap(({ source }) => (source.kind === 'column' && own.has(source.column) ? [source.column] : []))
}

export const readNow = sql`SELECT toString(now64(3, 'UTC')) AS now`

/** Tests with facts that have not been gone through. */
export const findUnnoted = (node: NotingNode, tests: readonly NotedTest[]): Sql =>
  sql`SELECT test FROM (${tests
    .map(
      (test) => sql`SELECT ${literal(test.key)} AS test FROM ${facts(node, test)} WHERE ${isNew(node, test)} LIMIT 1`,
    )
    .reduce((all, one) => sql`${all} UNION ALL ${one}`)})`

/** Adds what new facts say and nobody has said before. */
export function noteValues(node: NotingNode, test: NotedTest): Sql {
  const found = test.columns
    .map((name) => valuesOf(node, test, name))
    .reduce((all, one) => sql`${all}\n  UNION ALL ${one}`)
  const values = own(node, factValues.name)
  return sql`INSERT INTO ${values} (column, folded, value, panel, test)
SELECT column, lowerUTF8(value), value, panel, ${literal(test.key)} FROM (
  ${found}
)
WHERE (column, value, panel) NOT IN (SELECT column, value, panel FROM ${values} WHERE test = ${literal(test.key)})`
}

/** Left out before they are grouped: a long one is not to be held in memory only to be passed over. */
function valuesOf(node: NotingNode, test: NotedTest, name: string): Sql {
  const value = sql`toString(assumeNotNull(${identifier(name)}))`
  return sql`SELECT ${literal(name)} AS column, ${value} AS value, panel
  FROM ${facts(node, test)} WHERE ${isNew(node, test)} AND isNotNull(${identifier(name)})
    AND length(${value}) <= ${bind('UInt32', limits.listedValueBytesMax)} GROUP BY panel, ${identifier(name)}`
}

export function noteProgress(node: NotingNode, tests: readonly NotedTest[], upto: string): Sql {
  const rows = tests.map(
    (test) =>
      sql`(${bind('UInt16', node.number)}, ${literal(test.key)}, ${literal(test.columns.join())}, ${literal(upto)})`,
  )
  return sql`INSERT INTO ${own(node, notedFacts.name)} (node, test, columns, upto) VALUES ${join(rows, ', ')}`
}

/** What has been noted is looked at again for this long: rows are stamped before they are stored, by the clock of their node. */
export const notingMargin: Sql = sql`INTERVAL 15 MINUTE`

const isNew = (node: NotingNode, { key, columns }: NotedTest): Sql =>
  sql`ingested_at >= (SELECT max(upto) - ${notingMargin} FROM ${own(node, notedFacts.name)}
    WHERE node = ${bind('UInt16', node.number)} AND test = ${literal(key)} AND columns = ${literal(columns.join())})`

const facts = (node: NotingNode, { key }: NotedTest): Sql => own(node, key)

const own = ({ database, isSingle }: NotingNode, table: string): Sql =>
  sql`${identifier(database)}.${identifier(rowsTable(table, isSingle))}`
