import { identifier, sql, type Sql } from '../../base/sql.ts'
import type { Column, ColumnType } from '../../catalog/columns.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { cell } from './row-source.ts'

type NumberColumn = Column & { type: Exclude<ColumnType, 'text'> }

export const isNumber = (column: Column): column is NumberColumn => column.type !== 'text'

/** The number a cell holds, under a name of its own; null when it holds none. */
export const number = ({ name }: NumberColumn): Sql => identifier(`v_${name}`)

/** These refuse what does not fit: fractions, exponents, spaces, and numbers too large, which others let wrap around. */
const parsers: Record<NumberColumn['type'], Sql> = {
  uint8: sql`toUInt8OrNull`,
  uint16: sql`toUInt16OrNull`,
  uint32: sql`toUInt32OrNull`,
  int64: sql`toInt64OrNull`,
}

export const parsed = (column: NumberColumn): Sql => sql`${parsers[column.type]}(${cell(column.name)})`

/** A column's value as it is stored. An empty text says nothing, so it is none. */
export function stored(column: Column): Sql {
  if (isNumber(column)) return column.required ? sql`assumeNotNull(${number(column)})` : number(column)
  return column.required ? cell(column.name) : sql`nullIf(${cell(column.name)}, '')`
}

/** What makes two rows the same result. */
export const identityOf = (test: TestDefinition): readonly Sql[] => [
  sql`found.1`,
  sql`at`,
  ...identityColumns(test).map(stored),
]

export const identityColumns = (test: TestDefinition): readonly Column[] =>
  test.columns.filter(({ name }) => test.identity.includes(name))
