import { limits } from '../../base/limits.ts'
import { bind, identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { factValues, scannedFacts, rowsTable } from './value-tables.ts'

/** A node whose results are scanned for new values. */
export type ScanNode = { readonly database: string; readonly isSingle: boolean; readonly number: number }

/** A test, and the columns of it whose values are listed. */
export type ScannedTest = { readonly key: string; readonly columns: readonly string[] }

export const scannedTests = ({ tests, dimensions }: Catalog): ScannedTest[] =>
  tests
    .map((test) => ({ key: test.key, columns: valueColumns(test, dimensions) }))
    .filter((test) => test.columns.length > 0)

function valueColumns(test: TestDefinition, dimensions: Catalog['dimensions']): string[] {
  const own = new Set(test.columns.map(({ name }) => name))
  return dimensions.flatMap(({ source }) => (source.kind === 'column' && own.has(source.column) ? [source.column] : []))
}

export const readNow = sql`SELECT toString(now64(3, 'UTC')) AS now`

/** Finds the tests that have results which the job has not scanned yet. */
export const findUnscanned = (node: ScanNode, tests: readonly ScannedTest[]): Sql =>
  sql`SELECT test FROM (${tests
    .map(
      (test) => sql`SELECT ${literal(test.key)} AS test FROM ${facts(node, test)} WHERE ${isNew(node, test)} LIMIT 1`,
    )
    .reduce((all, one) => sql`${all} UNION ALL ${one}`)})`

/** Adds the values of new results to the list, if it does not contain them yet. */
export function recordNewValues(node: ScanNode, test: ScannedTest): Sql {
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

/** The condition on the length comes before the grouping. So long values, which are not listed, take no memory. */
function valuesOf(node: ScanNode, test: ScannedTest, name: string): Sql {
  const value = sql`toString(assumeNotNull(${identifier(name)}))`
  return sql`SELECT ${literal(name)} AS column, ${value} AS value, panel
  FROM ${facts(node, test)} WHERE ${isNew(node, test)} AND isNotNull(${identifier(name)})
    AND length(${value}) <= ${bind('UInt32', limits.listedValueBytesMax)} GROUP BY panel, ${identifier(name)}`
}

export function recordProgress(node: ScanNode, tests: readonly ScannedTest[], upto: string): Sql {
  const rows = tests.map(
    (test) =>
      sql`(${bind('UInt16', node.number)}, ${literal(test.key)}, ${literal(test.columns.join())}, ${literal(upto)})`,
  )
  return sql`INSERT INTO ${own(node, scannedFacts.name)} (node, test, columns, upto) VALUES ${join(rows, ', ')}`
}

/**
 * A scan also covers results that were stored up to this long before the previous scan. A node sets the `ingested_at` of a
 * row, by the node's own clock, before it stores the row.
 */
export const recordingMargin: Sql = sql`INTERVAL 15 MINUTE`

const isNew = (node: ScanNode, { key, columns }: ScannedTest): Sql =>
  sql`ingested_at >= (SELECT max(upto) - ${recordingMargin} FROM ${own(node, scannedFacts.name)}
    WHERE node = ${bind('UInt16', node.number)} AND test = ${literal(key)} AND columns = ${literal(columns.join())})`

const facts = (node: ScanNode, { key }: ScannedTest): Sql => own(node, key)

const own = ({ database, isSingle }: ScanNode, table: string): Sql =>
  sql`${identifier(database)}.${identifier(rowsTable(table, isSingle))}`
