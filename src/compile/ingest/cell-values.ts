import { identifier, sql, type Sql } from '../../base/sql.ts'
import type { Column, ColumnType } from '../../catalog/columns.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { cell } from './row-source.ts'

type NumberColumn = Column & { type: Exclude<ColumnType, 'text'> }

export const isNumber = (column: Column): column is NumberColumn => column.type !== 'text'

/** The alias of the number in a cell; null if the cell contains no valid number. */
export const number = ({ name }: NumberColumn): Sql => identifier(`v_${name}`)

/**
 * Each parser returns null for fractions, exponents, spaces and numbers out of range. With ClickHouse's other conversion
 * functions, a number out of range would wrap around.
 */
const parsers: Record<NumberColumn['type'], Sql> = {
  uint8: sql`toUInt8OrNull`,
  uint16: sql`toUInt16OrNull`,
  uint32: sql`toUInt32OrNull`,
  int64: sql`toInt64OrNull`,
}

export const parsed = (column: NumberColumn): Sql => sql`${parsers[column.type]}(${cell(column.name)})`

/** The value that is stored for a column. An empty text is stored as a missing value. */
export function stored(column: Column): Sql {
  if (isNumber(column)) return column.required ? sql`assumeNotNull(${number(column)})` : number(column)
  return column.required ? cell(column.name) : sql`nullIf(${cell(column.name)}, '')`
}

/** The identity of a result: two rows with equal values of these expressions are the same result. */
export const identityOf = (test: TestDefinition): readonly Sql[] => [
  sql`found.1`,
  sql`at`,
  ...identityColumns(test).map(stored),
]

export const identityColumns = (test: TestDefinition): readonly Column[] =>
  test.columns.filter(({ name }) => test.identity.includes(name))
