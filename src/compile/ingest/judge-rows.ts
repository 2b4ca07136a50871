import { ingestLimits, limits } from '../../base/limits.ts'
import { bind, join, literal, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { identityOf, isNumber, number, parsed } from './cell-values.ts'
import { cell, type RowSource } from './row-source.ts'

/** Why a row is not stored. docs/api.md says what to do about each. */
type RejectionReason =
  | 'malformed_row'
  | 'unexpected_column'
  | 'missing_value'
  | 'wrong_type'
  | 'too_long'
  | 'impossible_time'
  | 'future_time'
  | 'unknown_agent'

export type Judgement = {
  readonly test: TestDefinition
  readonly database: string
  /** Panels of the sender: an agent of any other is unknown. */
  readonly panels: readonly number[]
  readonly nowMs: number
}

type Flaw = { when: Sql; reason: RejectionReason; column: Sql }

const dayMs = 86_400_000
const unexpectedName = sql`substringUTF8(ifNull(unexpected, ''), 1, ${numberLiteral(ingestLimits.columnCharactersMax)})`
const textBytesMax = numberLiteral(limits.resultTextBytesMax)

/** The rows that can be stored, each result once: of rows that say the same agent, time and key columns, the first. */
export const acceptedRows = (judgement: Judgement, source: RowSource): Sql =>
  sql`SELECT *, found.1 AS agent, found.2 AS panel FROM (${readRows(judgement, source)}) WHERE NOT ${isFlawed(flawsOf(judgement))}
LIMIT 1 BY ${join(identityOf(judgement.test), ', ')}`

/** The rows that cannot be stored, with the reason. */
export function flawedRows(judgement: Judgement, source: RowSource): Sql {
  const flaws = flawsOf(judgement)
  return sql`SELECT *, ${reasonOf(flaws)} AS reason, ${columnOf(flaws)} AS column
FROM (${readRows(judgement, source)}) WHERE ${isFlawed(flaws)}`
}

/** All rows, with `reason` and `column`: empty for those that can be stored. */
export function judgedRows(judgement: Judgement, source: RowSource): Sql {
  const flaws = flawsOf(judgement)
  return sql`SELECT *, found.1 AS agent, found.2 AS panel, ${reasonOf(flaws)} AS reason, ${columnOf(flaws)} AS column
FROM (${readRows(judgement, source)})`
}

/**
 * The rows with what they were found to say: numbers `v_…`, time `at`, agent and panel `found`. No expression here is
 * null: a row that is neither wrong nor right would be lost.
 */
function readRows({ test, database }: Judgement, source: RowSource): Sql {
  const numbers = test.columns.filter(isNumber).map((column) => sql`${parsed(column)} AS ${number(column)}`)
  return sql`SELECT *, ${join([...numbers, sql`${isTime} AS is_time`], ', ')},
  ifNull(parseDateTime64BestEffortOrNull(${cell('dtime')}, 3, 'UTC'), toDateTime64(0, 3, 'UTC')) AS at,
  dictGet(${literal(`${database}.agents_by_key`)}, ('id', 'panel_id'),
    tuple(${keyOf(cell('agent_id'))})) AS found
FROM (${source.select})`
}

/**
 * An agent's id as it is compared. Letters of all scripts stay, so that one outside ASCII names no agent: without it the text
 * may name another.
 */
export const keyOf = (agentId: Sql): Sql =>
  sql`lower(replaceRegexpAll(${agentId}, ${literal(String.raw`[^\p{L}\p{M}\p{N}]`)}, ''))`

/** In this order: the first that applies is the reason told. What only time or an operator can mend comes last. */
function flawsOf({ test, panels, nowMs }: Judgement): readonly Flaw[] {
  const required = ['agent_id', 'dtime', ...test.columns.filter((column) => column.required).map(({ name }) => name)]
  const own = sql`has(${bind('Array(UInt32)', panels)}, found.2)`
  return [
    { when: sql`malformed`, reason: 'malformed_row', column: sql`''` },
    { when: sql`isNotNull(unexpected)`, reason: 'unexpected_column', column: unexpectedName },
    { when: sql`nested != ''`, reason: 'wrong_type', column: sql`nested` },
    ...required.map((name) => flaw(name, 'missing_value', sql`${cell(name)} = ''`)),
    ...test.columns
      .filter(isNumber)
      .map((column) => flaw(column.name, 'wrong_type', sql`isNull(${number(column)}) AND ${cell(column.name)} != ''`)),
    ...test.columns
      .filter((column) => !isNumber(column))
      .map(({ name }) => flaw(name, 'too_long', sql`length(${cell(name)}) > ${textBytesMax}`)),
    // Agents whose clock has not been set report 1970.
    flaw('dtime', 'impossible_time', sql`NOT is_time OR at < toDateTime64('2000-01-01 00:00:00', 3, 'UTC')`),
    flaw('dtime', 'future_time', sql`at > fromUnixTimestamp64Milli(${bind('Int64', nowMs + dayMs)}, 'UTC')`),
    flaw('agent_id', 'unknown_agent', sql`found.1 = 0 OR NOT ${own}`),
  ]
}

const flaw = (column: string, reason: RejectionReason, when: Sql): Flaw => ({ when, reason, column: literal(column) })

const reasonOf = (flaws: readonly Flaw[]): Sql => firstOf(flaws, ({ reason }) => literal(reason))
const columnOf = (flaws: readonly Flaw[]): Sql => firstOf(flaws, ({ column }) => column)

const firstOf = (flaws: readonly Flaw[], what: (one: Flaw) => Sql): Sql =>
  sql`multiIf(${join(
    flaws.flatMap((one) => [one.when, what(one)]),
    ', ',
  )}, '')`

const isFlawed = (flaws: readonly Flaw[]): Sql =>
  sql`or(${join(
    flaws.map(({ when }) => when),
    ', ',
  )})`

/**
 * The form, and a day and an hour that exist: parsers roll 30 February over into March, so the text is compared with
 * what it was taken for.
 */
const form = String.raw`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-](0\d|1[0-4]):[0-5]\d)?$`
const wallClock = sql`replaceOne(substring(${cell('dtime')}, 1, 19), 'T', ' ')`
const isTime = sql`match(${cell('dtime')}, ${literal(form)})
  AND ifNull(toString(toDateTime64OrNull(${wallClock}, 0, 'UTC')) = ${wallClock}, 0)`
