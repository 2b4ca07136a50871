import type { Cell } from './facts.ts'
import type { Rules } from './rules.ts'

export const compareKeys = (one: string | number, other: string | number): number =>
  one < other ? -1 : one > other ? 1 : 0

/** The order of split values: numbers by value, text by bytes, null last. */
export function compareCells(one: Cell, other: Cell, rules: Rules): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const [left, right] = [String(one), String(other)]
  return rules.textOrder === 'bytes' ? Buffer.compare(Buffer.from(left), Buffer.from(right)) : compareKeys(left, right)
}

export function compareLists<Item>(one: Item[], other: Item[], compare: (one: Item, other: Item) => number): number {
  const differing = one.findIndex((item, index) => compare(item, other[index] as Item) !== 0)
  return differing === -1 ? 0 : compare(one[differing] as Item, other[differing] as Item)
}
