import { bind, identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import type { Column, ColumnType } from '../../catalog/columns.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { cell, type RowSource } from './row-source.ts'

/** Why a row is not stored. docs/api.md says what to do about each. */
type RejectionReason =
  | 'malformed_row'
  | 'unexpected_column'
  | 'missing_value'
  | 'wrong_type'
  | 'impossible_time'
  | 'future_time'
  | 'unknown_agent'
  | 'duplicate_row'

export type Judgement = {
  readonly test: TestDefinition
  readonly database: string
  /** Panels of the sender: an agent of any other is unknown. */
  readonly panels: readonly number[]
  readonly nowMs: number
}

type Flaw = { when: Sql; reason: RejectionReason; column: Sql }

const dayMs = 86_400_000

/**
 * The rows with what they were found to say: numbers `v_…`, time `at`, agent and panel `found`. No expression here is
 * null: a row that is neither wrong nor right would be lost.
 */
export function readRows({ test, database }: Judgement, source: RowSource): Sql {
  const numbers = test.columns
    .filter(isNumber)
    .map((column) => sql`${parse[column.type](cell(column.name))} AS ${number(column)}`)
  return sql`SELECT *, ${join([...numbers, sql`${isTime} AS is_time`], ', ')},
  ifNull(parseDateTime64BestEffortOrNull(${cell('dtime')}, 3, 'UTC'), toDateTime64(0, 3, 'UTC')) AS at,
  ${source.found(database)} AS found
FROM (${source.select})`
}

/** In this order: the first that applies is the reason told. What only time or an operator can mend comes last. */
export function flawsOf({ test, panels, nowMs }: Judgement): readonly Flaw[] {
  const required = ['agent_id', 'dtime', ...test.columns.filter((column) => column.required).map(({ name }) => name)]
  const own = sql`has(${bind('Array(UInt32)', panels)}, found.2)`
  return [
    { when: sql`malformed`, reason: 'malformed_row', column: sql`''` },
    { when: sql`isNotNull(unexpected)`, reason: 'unexpected_column', column: sql`ifNull(unexpected, '')` },
    { when: sql`nested != ''`, reason: 'wrong_type', column: sql`nested` },
    ...required.map((name) => flaw(name, 'missing_value', sql`${cell(name)} = ''`)),
    ...test.columns
      .filter(isNumber)
      .map((column) => flaw(column.name, 'wrong_type', sql`isNull(${number(column)}) AND ${cell(column.name)} != ''`)),
    // Agents whose clock has not been set report 1970.
    flaw('dtime', 'impossible_time', sql`NOT is_time OR at < toDateTime64('2000-01-01 00:00:00', 3, 'UTC')`),
    flaw('dtime', 'future_time', sql`at > fromUnixTimestamp64Milli(${bind('Int64', nowMs + dayMs)}, 'UTC')`),
    flaw('agent_id', 'unknown_agent', sql`found.1 = 0 OR NOT ${own}`),
  ]
}

const flaw = (column: string, reason: RejectionReason, when: Sql): Flaw => ({ when, reason, column: literal(column) })

export const isFlawed = (flaws: readonly Flaw[]): Sql =>
  sql`or(${join(
    flaws.map(({ when }) => when),
    ', ',
  )})`

/** What makes two rows the same result. */
export const identityOf = (test: TestDefinition): readonly Sql[] => {
  const columns = test.identity.map((name) => test.columns.find((column) => column.name === name))
  return [sql`found.1`, sql`at`, ...columns.flatMap((column) => (column === undefined ? [] : [stored(column)]))]
}

/** A column's value as it is stored. An empty text says nothing, so it is none. */
export function stored(column: Column): Sql {
  if (isNumber(column)) return column.required ? sql`assumeNotNull(${number(column)})` : number(column)
  return column.required ? cell(column.name) : sql`nullIf(${cell(column.name)}, '')`
}

const isNumber = (column: Column): column is Column & { type: Exclude<ColumnType, 'text'> } => column.type !== 'text'

const number = ({ name }: Column): Sql => identifier(`v_${name}`)

/** These refuse what does not fit: fractions, exponents, spaces, and numbers too large, which others let wrap around. */
const parse: Record<Exclude<ColumnType, 'text'>, (text: Sql) => Sql> = {
  uint8: (text) => sql`toUInt8OrNull(${text})`,
  uint16: (text) => sql`toUInt16OrNull(${text})`,
  uint32: (text) => sql`toUInt32OrNull(${text})`,
  int64: (text) => sql`toInt64OrNull(${text})`,
}

/**
 * The form, and a day and an hour that exist: parsers roll 30 February over into March, so the text is compared with
 * what it was taken for.
 */
const form = String.raw`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-](0\d|1[0-4]):[0-5]\d)?$`
const wallClock = sql`replaceOne(substring(${cell('dtime')}, 1, 19), 'T', ' ')`
const isTime = sql`match(${cell('dtime')}, ${literal(form)})
  AND ifNull(toString(toDateTime64OrNull(${wallClock}, 0, 'UTC')) = ${wallClock}, 0)`
