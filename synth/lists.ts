import { bind, sql, type Sql } from '../src/base/sql.ts'

// These functions return SQL that looks up a value of a list's member by its position. Positions start at 1, as in ClickHouse.

export const numberOf = <Item>(list: readonly Item[], value: (item: Item) => number, position: Sql): Sql =>
  sql`${bind('Array(Float64)', list.map(value))}[${position}]`

export const textOf = <Item>(list: readonly Item[], value: (item: Item) => string, position: Sql): Sql =>
  sql`${bind('Array(String)', list.map(value))}[${position}]`

/** The position in `others` of the member that a member of `list` refers to. */
export const positionOf = <Item, Other>(
  list: readonly Item[],
  others: readonly Other[],
  isMeant: (item: Item, other: Other) => boolean,
  position: Sql,
): Sql => {
  const positions = list.map((item) => others.findIndex((other) => isMeant(item, other)) + 1)
  return sql`${bind('Array(UInt8)', positions)}[${position}]`
}
