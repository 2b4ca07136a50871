import { bind, identifier, join, sql, type Sql } from '../../base/sql.ts'
import type { Column } from '../../catalog/columns.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { identityColumns, isNumber, number, parsed, stored } from './cell-values.ts'
import type { Judgement } from './judge-rows.ts'
import { cell, cellNames } from './row-source.ts'
import { countReasons, insertFacts, insertRejections, keptRows, toldRows, type RejectedPlace } from './store-rows.ts'

/**
 * How many of the rows put aside can be stored and are not, whoever sent them; and a name for all that can be. Not for those
 * that are missing: of an insert that is still under way one month may be there already, and the next attempt must use the
 * same name for the other.
 */
export const countMissing = (judgement: Judgement, attempt: string): Sql =>
  sql`SELECT toUInt32(count()) AS missing,
  (SELECT hex(groupBitXor(sipHash64(first))) FROM (${firstRows(judgement.test, judgement.database, attempt)})) AS name
FROM (${missingRows(judgement, attempt, identityColumns(judgement.test))})`

export const insertMissing = (judgement: Judgement, attempt: string): Sql =>
  insertFacts(judgement.test, judgement.database, missingRows(judgement, attempt, judgement.test.columns))

export const countRejected = (judgement: Judgement, attempt: string, rowsBefore: number): Sql =>
  countReasons(
    sql`SELECT row + ${bind('UInt64', rowsBefore)} AS row, reason, column, rows FROM (${keptRows(rejectedRows(judgement, attempt))})`,
  )

/** Those that no earlier attempt has told of. */
export function insertRejectedAgain(judgement: Judgement, attempt: string, place: RejectedPlace): Sql {
  const told = sql`SELECT row, reason FROM (${toldRows(judgement, place)})`
  const rows = sql`SELECT * FROM (${keptRows(rejectedRows(judgement, attempt))})
WHERE (row + ${bind('UInt64', place.rowsBefore)}, reason) NOT IN (${told})`
  return insertRejections(judgement, place, rows)
}

/** Those that are flawed, and those that repeat another. Nested, because a condition would take the new reason. */
const rejectedRows = ({ test, database }: Judgement, attempt: string): Sql =>
  sql`SELECT row, if(reason = '', 'duplicate_row', reason) AS reason, column, agent_id, raw FROM (
  SELECT row, reason, column, cells[1] AS agent_id, raw
  FROM ${staged(database, attempt)} AND (reason != '' OR row NOT IN (${firstRows(test, database, attempt)}))
)`

/** Of rows that can be stored, the first of each result. */
const firstRows = (test: TestDefinition, database: string, attempt: string): Sql =>
  sql`SELECT min(row) AS first FROM (
  SELECT ${join([sql`row`, sql`agent`, sql`at`, ...cellsOf(test, identityColumns(test))], ', ')} FROM ${staged(database, attempt)} AND reason = ''
) GROUP BY ${join([sql`agent`, sql`at`, ...identityColumns(test).map(stored)], ', ')}`

/** With the values of these columns. */
function missingRows({ test, database, panels }: Judgement, attempt: string, columns: readonly Column[]): Sql {
  const key = [sql`agent`, sql`dtime`, ...identityColumns(test).map(({ name }) => identifier(name))]
  const said = [sql`agent`, sql`at`, ...identityColumns(test).map(stored)]
  // GLOBAL: the rows put aside are on this node only, what they are compared with is on all.
  const present = sql`SELECT ${join(key, ', ')} FROM ${identifier(database)}.${identifier(test.key)}
WHERE panel IN ${bind('Array(UInt32)', panels)}
  AND (toDate(dtime), agent) GLOBAL IN (SELECT DISTINCT toDate(at), agent FROM ${staged(database, attempt)} AND reason = '')`
  return sql`SELECT * FROM (
  SELECT ${join([sql`row`, sql`panel`, sql`agent`, sql`at`, ...cellsOf(test, columns)], ', ')}
  FROM ${staged(database, attempt)} AND reason = '' AND row IN (${firstRows(test, database, attempt)})
) WHERE (${join(said, ', ')}) NOT IN (${present})`
}

/** The cells of some columns, and the numbers in them. */
const cellsOf = (test: TestDefinition, columns: readonly Column[]): Sql[] => [
  ...columns.map((column) => sql`cells[${placeOf(test, column)}] AS ${cell(column.name)}`),
  ...columns.filter(isNumber).map((column) => sql`${parsed(column)} AS ${number(column)}`),
]

const staged = (database: string, attempt: string): Sql =>
  sql`${identifier(database)}.staged_results WHERE attempt = ${bind('String', attempt)}`

const placeOf = (test: TestDefinition, { name }: Column) => bind('UInt16', cellNames(test).indexOf(name) + 1)
