import { bind, identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import { flawsOf, identityOf, isFlawed, readRows, stored, type Judgement } from './judge-rows.ts'
import { rejectedTable } from './rejected-table.ts'
import { cell, cellNames, type RowSource } from './row-source.ts'

/** The rows that can be stored, each result once: of rows that say the same agent, time and key columns, the first. */
export function insertAccepted(judgement: Judgement, source: RowSource): Sql {
  return sql`${insertFacts(judgement, acceptedRows(judgement, source))}${formatClause(source)}`
}

/** The same, without those the table holds already, whoever sent them. */
export function insertMissing(judgement: Judgement, source: RowSource): Sql {
  return insertFacts(judgement, missingRows(judgement, source))
}

/** How many those are, and a name for just these. */
export const countMissing = (judgement: Judgement, source: RowSource): Sql =>
  sql`SELECT toUInt32(count()) AS missing, hex(groupBitXor(sipHash64(row))) AS name FROM (${missingRows(judgement, source)})`

/** Where the rows of a batch that are not stored are told of. */
export type RejectedPlace = {
  readonly organisation: number
  readonly batch: string
  /** Rows of the batch before these. */
  readonly rowsBefore: number
  readonly source: string
}

/** The rows that cannot be stored, and those that repeat another: together with the accepted ones they are all. */
export function insertRejected(judgement: Judgement, source: RowSource, place: RejectedPlace): Sql {
  return sql`${insertRejections(judgement, source, place, sql`1`)}${formatClause(source)}`
}

/** The same, without those that were told of by an earlier attempt. */
export function insertRejectedAgain(judgement: Judgement, source: RowSource, place: RejectedPlace): Sql {
  const told = sql`SELECT row, reason FROM ${identifier(judgement.database)}.${identifier(rejectedTable)} WHERE ${placeOf(judgement, place)}`
  return insertRejections(judgement, source, place, sql`(row, reason) NOT IN (${told})`)
}

/** Why rows of a batch were not stored. */
export const countRejections = (judgement: Judgement, source: RowSource, rowsBefore: number): Sql =>
  summary(
    sql`SELECT row + ${bind('UInt64', rowsBefore)} AS row, reason, column FROM (${rejections(judgement, source)})`,
  )

export const countToldRejections = (judgement: Judgement, place: RejectedPlace): Sql =>
  summary(
    sql`SELECT row, reason, column FROM ${identifier(judgement.database)}.${identifier(rejectedTable)}
WHERE ${placeOf(judgement, place)} AND row > ${bind('UInt64', place.rowsBefore)}`,
  )

/** Puts the rows aside so that they can be looked at more than once. */
export function stageRows({ test, database }: Judgement, source: RowSource, attempt: string): Sql {
  const cells = join(cellNames(test).map(cell), ', ')
  return sql`INSERT INTO ${identifier(database)}.staged_results (attempt, row, raw, malformed, unexpected, nested, cells, agent, panel)
SELECT ${bind('String', attempt)}, row, raw, malformed, unexpected, nested, [${cells}], (${source.found(database)} AS found).1, found.2 FROM (${source.select})${formatClause(source)}`
}

const formatClause = ({ format }: RowSource): Sql => (format === null ? sql`` : sql` FORMAT ${identifier(format)}`)

function insertFacts({ test, database }: Judgement, rows: Sql): Sql {
  const names = [sql`panel`, sql`agent`, sql`dtime`, ...test.columns.map(({ name }) => identifier(name))]
  const values = [sql`found.2`, sql`found.1`, sql`at`, ...test.columns.map(stored)]
  return sql`INSERT INTO ${identifier(database)}.${identifier(test.key)} (${join(names, ', ')})
SELECT ${join(values, ', ')} FROM (${rows})`
}

/** Rows that were put aside come in any order; those that follow the statement come in theirs. */
const acceptedRows = (judgement: Judgement, source: RowSource): Sql =>
  sql`SELECT * FROM (${readRows(judgement, source)}) WHERE NOT ${isFlawed(flawsOf(judgement))}
${source.format === null ? sql`ORDER BY row` : sql``} LIMIT 1 BY ${join(identityOf(judgement.test), ', ')}`

function missingRows(judgement: Judgement, source: RowSource): Sql {
  const { test, database, panels } = judgement
  const accepted = acceptedRows(judgement, source)
  const key = [sql`agent`, sql`dtime`, ...test.identity.map(identifier)]
  // GLOBAL: the rows put aside are on this node only, what they are compared with is on all.
  const present = sql`SELECT ${join(key, ', ')} FROM ${identifier(database)}.${identifier(test.key)}
WHERE panel IN ${bind('Array(UInt32)', panels)} AND (toDate(dtime), agent) GLOBAL IN (SELECT DISTINCT toDate(at), found.1 FROM (${accepted}))`
  return sql`SELECT * FROM (${accepted}) WHERE (${join(identityOf(test), ', ')}) NOT IN (${present})`
}

function rejections(judgement: Judgement, source: RowSource): Sql {
  const flaws = flawsOf(judgement)
  const choose = (what: (flaw: (typeof flaws)[number]) => Sql, otherwise: Sql) =>
    sql`multiIf(${join(
      flaws.flatMap((flaw) => [flaw.when, what(flaw)]),
      ', ',
    )}, ${otherwise})`
  const identity = join(identityOf(judgement.test), ', ')
  return sql`SELECT row, ${choose(({ reason }) => literal(reason), sql`'duplicate_row'`)} AS reason, ${choose(({ column }) => column, sql`''`)} AS column,
  ${cell('agent_id')} AS agent_id, raw
FROM (
  SELECT *, ${isFlawed(flaws)} AS is_flawed, row_number() OVER (PARTITION BY is_flawed, ${identity} ORDER BY row) AS turn
  FROM (${readRows(judgement, source)})
) WHERE is_flawed OR turn > 1`
}

function insertRejections(judgement: Judgement, source: RowSource, place: RejectedPlace, which: Sql): Sql {
  const { test, database } = judgement
  return sql`INSERT INTO ${identifier(database)}.${identifier(rejectedTable)} (organisation, test, batch, row, reason, column, agent_id, raw, source)
SELECT ${bind('UInt32', place.organisation)}, ${literal(test.key)}, ${bind('String', place.batch)}, row, reason, column, agent_id, raw, ${bind('String', place.source)}
FROM (SELECT * REPLACE (row + ${bind('UInt64', place.rowsBefore)} AS row) FROM (${rejections(judgement, source)})) WHERE ${which}`
}

const placeOf = ({ test }: Judgement, { organisation, batch }: RejectedPlace): Sql =>
  sql`organisation = ${bind('UInt32', organisation)} AND test = ${literal(test.key)} AND batch = ${bind('String', batch)}`

const summary = (rows: Sql): Sql =>
  sql`SELECT reason, column, toUInt32(count()) AS rows, toUInt32(min(row)) AS first_row FROM (${rows})
GROUP BY reason, column ORDER BY rows DESC, reason, column`
