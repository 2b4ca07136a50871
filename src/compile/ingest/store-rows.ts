import { ingestLimits } from '../../base/limits.ts'
import { bind, identifier, join, literal, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { stored } from './cell-values.ts'
import { acceptedRows, flawedRows, judgedRows, type Judgement } from './judge-rows.ts'
import { rejectedTable } from './rejected-table.ts'
import { cell, cellNames, type RowSource } from './row-source.ts'

/** The rows that can be stored. */
export const insertAccepted = (judgement: Judgement, source: RowSource): Sql =>
  sql`${insertFacts(judgement.test, judgement.database, acceptedRows(judgement, source))}${formatClause(source)}`

/** Into a test's table, from rows with `panel`, `agent`, `at`, cells and numbers. */
export function insertFacts(test: TestDefinition, database: string, rows: Sql): Sql {
  const names = [sql`panel`, sql`agent`, sql`dtime`, ...test.columns.map(({ name }) => identifier(name))]
  const values = [sql`panel`, sql`agent`, sql`at`, ...test.columns.map(stored)]
  return sql`INSERT INTO ${identifier(database)}.${identifier(test.key)} (${join(names, ', ')})
SELECT ${join(values, ', ')} FROM (${rows})`
}

/** Where the rows of a batch that are not stored are told of. */
export type RejectedPlace = {
  readonly organisation: number
  readonly batch: string
  /** Rows of the batch before these. */
  readonly rowsBefore: number
  readonly source: string
}

/** The rows that cannot be stored. Together with the accepted ones they are all, unless some repeat another. */
export function insertRejected(judgement: Judgement, source: RowSource, place: RejectedPlace): Sql {
  const rows = sql`SELECT row, reason, column, ${cell('agent_id')} AS agent_id, raw FROM (${flawedRows(judgement, source)})`
  return sql`${insertRejections(judgement, place, keptRows(rows))}${formatClause(source)}`
}

/** Into `rejected_results`, from `keptRows`. */
export function insertRejections({ test, database }: Judgement, place: RejectedPlace, rows: Sql): Sql {
  return sql`INSERT INTO ${identifier(database)}.${identifier(rejectedTable)} (organisation, test, batch, row, reason, column, agent_id, raw, source, rows)
SELECT ${bind('UInt32', place.organisation)}, ${literal(test.key)}, ${bind('String', place.batch)}, row + ${bind('UInt64', place.rowsBefore)},
  reason, column, agent_id, raw, ${bind('String', place.source)}, rows
FROM (${rows})`
}

const keptMax = numberLiteral(ingestLimits.rejectedRowsKeptMax)
const kindsMax = numberLiteral(ingestLimits.rejectionKindsMax)

/**
 * The first rows of each reason and column; the last of them stands for those that follow, so that `rows` adds up to all.
 * Made in one pass, because rows that are being inserted cannot be read twice. The rarest columns beyond so many are not told
 * apart: a sender can make up a name for each row.
 */
export const keptRows = (rejected: Sql): Sql =>
  sql`SELECT kept.1 AS row, reason, column, kept.2 AS agent_id, kept.3 AS raw,
  toUInt32(if(place = length(firsts), total - place + 1, 1)) AS rows
FROM (
  SELECT reason, told AS column, sum(rows) AS total, groupArraySortedArray(${keptMax})(firsts_of_column) AS firsts FROM (
    SELECT reason, rows, firsts_of_column,
      if(row_number() OVER (ORDER BY rows DESC, reason, column) <= ${kindsMax}, column, '') AS told
    FROM (
      SELECT reason, column, count() AS rows, groupArraySorted(${keptMax})((row, agent_id, raw)) AS firsts_of_column
      FROM (${rejected}) GROUP BY reason, column
    )
  ) GROUP BY reason, told
) ARRAY JOIN firsts AS kept, arrayEnumerate(firsts) AS place`

type ToldOf = Pick<Judgement, 'test' | 'database'>

/** What has been told of a batch. */
export const toldRows = ({ test, database }: ToldOf, { organisation, batch }: RejectedPlace): Sql =>
  sql`SELECT row, reason, column, rows FROM ${identifier(database)}.${identifier(rejectedTable)}
WHERE organisation = ${bind('UInt32', organisation)} AND test = ${literal(test.key)} AND batch = ${bind('String', batch)}`

/** Why rows were not stored: how many of each, how many of them are kept, and which is the first. */
export const countReasons = (kept: Sql): Sql =>
  sql`SELECT reason, column, toUInt32(sum(kept.rows)) AS rows, toUInt32(count()) AS kept_rows, toUInt32(min(row)) AS first_row
FROM (${kept}) AS kept GROUP BY reason, column ORDER BY rows DESC, reason, column`

export const countTold = (judgement: Judgement, place: RejectedPlace): Sql =>
  countReasons(sql`SELECT * FROM (${toldRows(judgement, place)}) WHERE row > ${bind('UInt64', place.rowsBefore)}`)

/**
 * Of the first `rows` of a place: its later ones are another batch of the same body. Rows that were flawed once and stored
 * later are told of there too, so only those that repeat another count.
 */
export const findFirstDuplicate = (of: ToldOf, place: RejectedPlace, rows: number): Sql =>
  sql`SELECT reason, column, toUInt32(min(row)) AS first_row FROM (${toldRows(of, place)}) WHERE reason = 'duplicate_row'
  AND row BETWEEN ${bind('UInt64', place.rowsBefore + 1)} AND ${bind('UInt64', place.rowsBefore + rows)}
GROUP BY reason, column`

/** Puts the rows aside with what was found about them, so that they can be looked at more than once. */
export function stageRows(judgement: Judgement, source: RowSource, attempt: string): Sql {
  const cells = join(cellNames(judgement.test).map(cell), ', ')
  return sql`INSERT INTO ${identifier(judgement.database)}.staged_results (attempt, row, raw, reason, column, panel, agent, at, cells)
SELECT ${bind('String', attempt)}, row, raw, reason, column, panel, agent, at, [${cells}]
FROM (${judgedRows(judgement, source)})${formatClause(source)}`
}

const formatClause = ({ format }: RowSource): Sql => sql` FORMAT ${identifier(format)}`
