import type { FlatColumn } from '../../compile/export/flat-columns.ts'

export type Row = readonly unknown[]

/** Returns the value of a column in a row of the statement: a number, a text, a list, true, false or null. */
export function flatValue({ index, member, isNullIfEmpty }: FlatColumn, row: Row): unknown {
  const whole = row[index] ?? null
  const value = member === undefined ? whole : memberOf(whole, member)
  return isNullIfEmpty && Array.isArray(value) && value.length === 0 ? null : value
}

function memberOf(whole: unknown, member: number | string): unknown {
  if (typeof whole !== 'object' || whole === null) return null
  return new Map<string, unknown>(Object.entries(whole)).get(String(member)) ?? null
}
