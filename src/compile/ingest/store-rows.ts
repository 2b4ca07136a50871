import { ingestLimits } from '../../base/limits.ts'
import { bind, identifier, join, literal, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { stored } from './cell-values.ts'
import { acceptedRows, flawedRows, validatedRows, type Validation } from './validate-rows.ts'
import { rejectedTable } from './rejected-table.ts'
import { cell, cellNames, type RowSource } from './row-source.ts'

export const insertAccepted = (validation: Validation, source: RowSource): Sql =>
  sql`${insertFacts(validation.test, validation.database, acceptedRows(validation, source))}${formatClause(source)}`

/** Inserts rows into the table of a test. `rows` must have `panel`, `agent`, `at`, and the aliases of all cells and numbers. */
export function insertFacts(test: TestDefinition, database: string, rows: Sql): Sql {
  const names = [sql`panel`, sql`agent`, sql`dtime`, ...test.columns.map(({ name }) => identifier(name))]
  const values = [sql`panel`, sql`agent`, sql`at`, ...test.columns.map(stored)]
  return sql`INSERT INTO ${identifier(database)}.${identifier(test.key)} (${join(names, ', ')})
SELECT ${join(values, ', ')} FROM (${rows})`
}

/** Identifies rejected rows within the batches of an organisation. */
export type RejectedRange = {
  readonly organisation: number
  readonly batch: string
  /** Number of rows of the request body that come before this batch. */
  readonly rowsBefore: number
  readonly source: string
}

/**
 * Inserts the rejected rows of a batch. Every row of the batch is either accepted or rejected, except duplicates within the
 * batch.
 */
export function insertRejected(validation: Validation, source: RowSource, place: RejectedRange): Sql {
  const rows = sql`SELECT row, reason, column, ${cell('agent_id')} AS agent_id, raw FROM (${flawedRows(validation, source)})`
  return sql`${insertRejections(validation, place, keptRows(rows))}${formatClause(source)}`
}

/** Inserts rows into `rejected_results`. `rows` is the result of `keptRows`. */
export function insertRejections({ test, database }: Validation, place: RejectedRange, rows: Sql): Sql {
  return sql`INSERT INTO ${identifier(database)}.${identifier(rejectedTable)} (organisation, test, batch, row, reason, column, agent_id, raw, source, rows)
SELECT ${bind('UInt32', place.organisation)}, ${literal(test.key)}, ${bind('String', place.batch)}, row + ${bind('UInt64', place.rowsBefore)},
  reason, column, agent_id, raw, ${bind('String', place.source)}, rows
FROM (${rows})`
}

const keptMax = numberLiteral(ingestLimits.rejectedRowsKeptMax)
const kindsMax = numberLiteral(ingestLimits.rejectionKindsMax)

/**
 * Selects the first rejected rows of each reason and column. The last selected row also represents the rows after it that are
 * not selected, so the sum of `rows` is the total. The statement has one pass, because ClickHouse cannot read the inserted
 * data twice. If a batch has more than `rejectionKindsMax` combinations, the column names of the rarest combinations are
 * dropped: a sender can invent a column name for each row.
 */
export const keptRows = (rejected: Sql): Sql =>
  sql`SELECT kept.1 AS row, reason, column, kept.2 AS agent_id, kept.3 AS raw,
  toUInt32(if(place = length(firsts), total - place + 1, 1)) AS rows
FROM (
  SELECT reason, shown_column AS column, sum(rows) AS total, groupArraySortedArray(${keptMax})(firsts_of_column) AS firsts FROM (
    SELECT reason, rows, firsts_of_column,
      if(row_number() OVER (ORDER BY rows DESC, reason, column) <= ${kindsMax}, column, '') AS shown_column
    FROM (
      SELECT reason, column, count() AS rows, groupArraySorted(${keptMax})((row, agent_id, raw)) AS firsts_of_column
      FROM (${rejected}) GROUP BY reason, column
    )
  ) GROUP BY reason, shown_column
) ARRAY JOIN firsts AS kept, arrayEnumerate(firsts) AS place`

type RejectedOf = Pick<Validation, 'test' | 'database'>

/** Selects the rejected rows of a batch that are already recorded. */
export const recordedRejections = ({ test, database }: RejectedOf, { organisation, batch }: RejectedRange): Sql =>
  sql`SELECT row, reason, column, rows FROM ${identifier(database)}.${identifier(rejectedTable)}
WHERE organisation = ${bind('UInt32', organisation)} AND test = ${literal(test.key)} AND batch = ${bind('String', batch)}`

/**
 * Counts, for each reason and column: the rejected rows, how many of them are stored, and the number of the first rejected
 * row.
 */
export const countReasons = (kept: Sql): Sql =>
  sql`SELECT reason, column, toUInt32(sum(kept.rows)) AS rows, toUInt32(count()) AS kept_rows, toUInt32(min(row)) AS first_row
FROM (${kept}) AS kept GROUP BY reason, column ORDER BY rows DESC, reason, column`

export const countRejections = (validation: Validation, place: RejectedRange): Sql =>
  countReasons(
    sql`SELECT * FROM (${recordedRejections(validation, place)}) WHERE row > ${bind('UInt64', place.rowsBefore)}`,
  )

/**
 * Finds the first duplicate among the first `rows` rows after `rowsBefore`; later rows belong to another batch of the same
 * request body. Only the reason `duplicate_row` counts, because `rejected_results` also contains rows that an earlier attempt
 * rejected and a later attempt stored.
 */
export const findFirstDuplicate = (of: RejectedOf, place: RejectedRange, rows: number): Sql =>
  sql`SELECT reason, column, toUInt32(min(row)) AS first_row FROM (${recordedRejections(of, place)}) WHERE reason = 'duplicate_row'
  AND row BETWEEN ${bind('UInt64', place.rowsBefore + 1)} AND ${bind('UInt64', place.rowsBefore + rows)}
GROUP BY reason, column`

/** Stages the rows together with their validation result, so that several statements can read them. */
export function stageRows(validation: Validation, source: RowSource, attempt: string): Sql {
  const cells = join(cellNames(validation.test).map(cell), ', ')
  return sql`INSERT INTO ${identifier(validation.database)}.staged_results (attempt, row, raw, reason, column, panel, agent, at, cells)
SELECT ${bind('String', attempt)}, row, raw, reason, column, panel, agent, at, [${cells}]
FROM (${validatedRows(validation, source)})${formatClause(source)}`
}

const formatClause = ({ format }: RowSource): Sql => sql` FORMAT ${identifier(format)}`
