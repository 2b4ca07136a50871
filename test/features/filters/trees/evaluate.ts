import type { Row } from './tree-world.ts'

export type Leaf = { readonly id: string; readonly filterType: string; readonly filterValues?: readonly unknown[] }
export type Tree = Leaf | { readonly any: readonly Tree[] } | { readonly all: readonly Tree[] } | { readonly not: Tree }

/** A plain evaluation of a filter over a result, written from the documentation of the API. */
export function isKept(row: Row, tree: Tree): boolean {
  if ('any' in tree) return tree.any.some((one) => isKept(row, one))
  if ('all' in tree) return tree.all.every((one) => isKept(row, one))
  if ('not' in tree) return !isKept(row, tree.not)
  const { id, filterType, filterValues = [] } = tree
  const value = row.values[id] ?? null
  const text = value === null ? null : String(value)
  const texts = filterValues.map(String)
  const [bound] = filterValues.map(Number)
  const number = text === null || !/^-?\d+(\.\d+)?$/.test(text) ? null : Number(text)
  const compared = (holds: (one: number, other: number) => boolean): boolean =>
    number !== null && bound !== undefined && holds(number, bound)
  switch (filterType) {
    case 'include':
      return text !== null && texts.includes(text)
    case 'exclude':
      return text === null || !texts.includes(text)
    case 'contains':
      return text !== null && texts.some((one) => text.includes(one))
    case 'starts_with':
      return text !== null && texts.some((one) => text.startsWith(one))
    case 'ends_with':
      return text !== null && texts.some((one) => text.endsWith(one))
    case 'matches':
      return text !== null && texts.some((one) => patternOf(one).test(text))
    case 'at_least':
      return compared((one, other) => one >= other)
    case 'above':
      return compared((one, other) => one > other)
    case 'at_most':
      return compared((one, other) => one <= other)
    case 'below':
      return compared((one, other) => one < other)
    case 'is_set':
      return text !== null
    case 'is_missing':
      return text === null
    default:
      throw new Error(`no filter type ${filterType}`)
  }
}

/** RE2's `(?i)` at the beginning is a flag in JavaScript. The dot matches line breaks too. */
const patternOf = (pattern: string): RegExp =>
  pattern.startsWith('(?i)') ? new RegExp(pattern.slice(4), 'sui') : new RegExp(pattern, 'su')
