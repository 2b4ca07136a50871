import { bind, sql, type Sql } from '../src/base/sql.ts'

// Looking up what a member of a list says. Positions are from 1, as the engine counts.

export const numberOf = <Item>(list: readonly Item[], value: (item: Item) => number, position: Sql): Sql =>
  sql`${bind('Array(Float64)', list.map(value))}[${position}]`

export const textOf = <Item>(list: readonly Item[], value: (item: Item) => string, position: Sql): Sql =>
  sql`${bind('Array(String)', list.map(value))}[${position}]`

/** For members that name a member of another list. */
export const positionOf = <Item, Other>(
  list: readonly Item[],
  others: readonly Other[],
  isMeant: (item: Item, other: Other) => boolean,
  position: Sql,
): Sql => {
  const positions = list.map((item) => others.findIndex((other) => isMeant(item, other)) + 1)
  return sql`${bind('Array(UInt8)', positions)}[${position}]`
}
