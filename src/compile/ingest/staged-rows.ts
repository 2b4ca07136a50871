import { bind, identifier, join, sql, type Sql } from '../../base/sql.ts'
import type { Column } from '../../catalog/columns.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { identityColumns, isNumber, number, parsed, stored } from './cell-values.ts'
import type { Validation } from './validate-rows.ts'
import { cell, cellNames } from './row-source.ts'
import {
  countReasons,
  insertFacts,
  insertRejections,
  keptRows,
  recordedRejections,
  type RejectedRange,
} from './store-rows.ts'

/**
 * Counts the staged rows that are valid and not stored yet (`missing`), and computes a hash of all valid rows (`name`). The
 * hash does not depend on which rows are missing. An earlier insert can have stored the rows of one month and not of another,
 * and the next attempt must use the same deduplication token.
 */
export const countMissing = (validation: Validation, attempt: string): Sql =>
  sql`SELECT toUInt32(count()) AS missing,
  (SELECT hex(groupBitXor(sipHash64(first))) FROM (${firstRows(validation.test, validation.database, attempt)})) AS name
FROM (${missingRows(validation, attempt, identityColumns(validation.test))})`

export const insertMissing = (validation: Validation, attempt: string): Sql =>
  insertFacts(validation.test, validation.database, missingRows(validation, attempt, validation.test.columns))

export const countRejected = (validation: Validation, attempt: string, rowsBefore: number): Sql =>
  countReasons(
    sql`SELECT row + ${bind('UInt64', rowsBefore)} AS row, reason, column, rows FROM (${keptRows(rejectedRows(validation, attempt))})`,
  )

/** Inserts only the rejected rows that no earlier attempt has recorded. */
export function insertRejectedAgain(validation: Validation, attempt: string, place: RejectedRange): Sql {
  const recorded = sql`SELECT row, reason FROM (${recordedRejections(validation, place)})`
  const rows = sql`SELECT * FROM (${keptRows(rejectedRows(validation, attempt))})
WHERE (row + ${bind('UInt64', place.rowsBefore)}, reason) NOT IN (${recorded})`
  return insertRejections(validation, place, rows)
}

/**
 * Selects invalid rows, and rows that are duplicates within the batch. The inner SELECT is necessary: with a single SELECT,
 * the WHERE would use the new `reason`.
 */
const rejectedRows = ({ test, database }: Validation, attempt: string): Sql =>
  sql`SELECT row, if(reason = '', 'duplicate_row', reason) AS reason, column, agent_id, raw FROM (
  SELECT row, reason, column, cells[1] AS agent_id, raw
  FROM ${staged(database, attempt)} AND (reason != '' OR row NOT IN (${firstRows(test, database, attempt)}))
)`

/** Numbers of the valid rows to store: the first row of each result. */
const firstRows = (test: TestDefinition, database: string, attempt: string): Sql =>
  sql`SELECT min(row) AS first FROM (
  SELECT ${join([sql`row`, sql`agent`, sql`at`, ...cellsOf(test, identityColumns(test))], ', ')} FROM ${staged(database, attempt)} AND reason = ''
) GROUP BY ${join([sql`agent`, sql`at`, ...identityColumns(test).map(stored)], ', ')}`

/** The staged rows that are valid and not stored yet. `columns` are the columns whose values are selected. */
function missingRows({ test, database, panels }: Validation, attempt: string, columns: readonly Column[]): Sql {
  const key = [sql`agent`, sql`dtime`, ...identityColumns(test).map(({ name }) => identifier(name))]
  const stagedKey = [sql`agent`, sql`at`, ...identityColumns(test).map(stored)]
  // GLOBAL is necessary because the staged rows are on this node only, and the results on all nodes.
  const storedKeys = sql`SELECT ${join(key, ', ')} FROM ${identifier(database)}.${identifier(test.key)}
WHERE panel IN ${bind('Array(UInt32)', panels)}
  AND (toDate(dtime), agent) GLOBAL IN (SELECT DISTINCT toDate(at), agent FROM ${staged(database, attempt)} AND reason = '')`
  return sql`SELECT * FROM (
  SELECT ${join([sql`row`, sql`panel`, sql`agent`, sql`at`, ...cellsOf(test, columns)], ', ')}
  FROM ${staged(database, attempt)} AND reason = '' AND row IN (${firstRows(test, database, attempt)})
) WHERE (${join(stagedKey, ', ')}) NOT IN (${storedKeys})`
}

/** Selects the cells of `columns` as text, and the numbers in them. */
const cellsOf = (test: TestDefinition, columns: readonly Column[]): Sql[] => [
  ...columns.map((column) => sql`cells[${positionOf(test, column)}] AS ${cell(column.name)}`),
  ...columns.filter(isNumber).map((column) => sql`${parsed(column)} AS ${number(column)}`),
]

const staged = (database: string, attempt: string): Sql =>
  sql`${identifier(database)}.staged_results WHERE attempt = ${bind('String', attempt)}`

const positionOf = (test: TestDefinition, { name }: Column) => bind('UInt16', cellNames(test).indexOf(name) + 1)
