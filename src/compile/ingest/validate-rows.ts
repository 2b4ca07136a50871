import { ingestLimits, limits } from '../../base/limits.ts'
import { bind, join, literal, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { identityOf, isNumber, number, parsed } from './cell-values.ts'
import { cell, type RowSource } from './row-source.ts'

/** The reason why a row is rejected. docs/api.md explains how to fix each. */
type RejectionReason =
  | 'malformed_row'
  | 'unexpected_column'
  | 'missing_value'
  | 'wrong_type'
  | 'too_long'
  | 'impossible_time'
  | 'future_time'
  | 'unknown_agent'

export type Validation = {
  readonly test: TestDefinition
  readonly database: string
  /** The panels of the sender. An agent on another panel counts as unknown. */
  readonly panels: readonly number[]
  readonly nowMs: number
}

type Flaw = { when: Sql; reason: RejectionReason; column: Sql }

const dayMs = 86_400_000
const unexpectedName = sql`substringUTF8(ifNull(unexpected, ''), 1, ${numberLiteral(ingestLimits.columnCharactersMax)})`
const textBytesMax = numberLiteral(limits.resultTextBytesMax)

/**
 * Selects the rows to store. If several rows are the same result (equal agent, time and identity columns), it selects the
 * first of them.
 */
export const acceptedRows = (validation: Validation, source: RowSource): Sql =>
  sql`SELECT *, found.1 AS agent, found.2 AS panel FROM (${readRows(validation, source)}) WHERE NOT ${isFlawed(flawsOf(validation))}
LIMIT 1 BY ${join(identityOf(validation.test), ', ')}`

/** Selects the rejected rows, with the reason and the column. */
export function flawedRows(validation: Validation, source: RowSource): Sql {
  const flaws = flawsOf(validation)
  return sql`SELECT *, ${reasonOf(flaws)} AS reason, ${columnOf(flaws)} AS column
FROM (${readRows(validation, source)}) WHERE ${isFlawed(flaws)}`
}

/** Selects all rows, with `reason` and `column`. Both are empty for valid rows. */
export function validatedRows(validation: Validation, source: RowSource): Sql {
  const flaws = flawsOf(validation)
  return sql`SELECT *, found.1 AS agent, found.2 AS panel, ${reasonOf(flaws)} AS reason, ${columnOf(flaws)} AS column
FROM (${readRows(validation, source)})`
}

/**
 * Adds the parsed values to the rows: the numbers as `v_…`, the time as `at`, and the agent and panel as `found`. No expression
 * may be null: a row with a null would be neither stored nor rejected, and would be lost.
 */
function readRows({ test, database }: Validation, source: RowSource): Sql {
  const numbers = test.columns.filter(isNumber).map((column) => sql`${parsed(column)} AS ${number(column)}`)
  return sql`SELECT *, ${join([...numbers, sql`${isTime} AS is_time`], ', ')},
  ifNull(parseDateTime64BestEffortOrNull(${cell('dtime')}, 3, 'UTC'), toDateTime64(0, 3, 'UTC')) AS at,
  dictGet(${literal(`${database}.agents_by_key`)}, ('id', 'panel_id'),
    tuple(${keyOf(cell('agent_id'))})) AS found
FROM (${source.select})`
}

/**
 * Converts an agent id to the form in which ids are compared. Letters of all scripts remain, so that an id with a letter
 * outside ASCII matches no agent. Without the letter, the id could match another agent.
 */
export const keyOf = (agentId: Sql): Sql =>
  sql`lower(replaceRegexpAll(${agentId}, ${literal(String.raw`[^\p{L}\p{M}\p{N}]`)}, ''))`

/**
 * All possible faults of a row. If a row has several faults, the first in this list is reported. Faults that only time or an
 * operator can fix come last.
 */
function flawsOf({ test, panels, nowMs }: Validation): readonly Flaw[] {
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
    // Agents whose clock has not been set send times in 1970.
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
 * ClickHouse's parsers accept 30 February and return a day in March. The parsed time is therefore formatted again and compared
 * with the text.
 */
const form = String.raw`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-](0\d|1[0-4]):[0-5]\d)?$`
const wallClock = sql`replaceOne(substring(${cell('dtime')}, 1, 19), 'T', ' ')`
const isTime = sql`match(${cell('dtime')}, ${literal(form)})
  AND ifNull(toString(toDateTime64OrNull(${wallClock}, 0, 'UTC')) = ${wallClock}, 0)`
