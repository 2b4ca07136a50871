import type { Dice } from '../../../faults/dice.ts'
import type { Leaf, Tree } from './evaluate.ts'
import type { Row } from './tree-world.ts'

const textTypes = ['contains', 'starts_with', 'ends_with']
const numberTypes = ['at_least', 'above', 'at_most', 'below']
const numeric = ['threads', 'ip_version', 'unit', 'custom.floor', 'custom.region']
const patterns = [
  '^A',
  'net$',
  '(?i)acme',
  '[0-9]{2,}',
  'a.b',
  '^$',
  '.',
  'é|ü|Å',
  '^(1|4|16)$',
  'peak$',
  '\\\\',
  "'",
  'x-?y?$',
  '^[^a-z]+$',
  ':Fibre 100$',
]

/** A random tree of filters with at most `leavesMax` leaves. Most values are values of the rows, or parts of them. */
export function rollTree(dice: Dice, rows: readonly Row[], ids: readonly string[], leavesMax = 8, depth = 1): Tree {
  const form = depth > 5 || leavesMax < 2 ? 0 : dice.between(0, 5)
  if (form <= 1) return rollLeaf(dice, rows, ids)
  if (form === 2) return { not: rollTree(dice, rows, ids, leavesMax, depth + 1) }
  const count = dice.between(1, Math.min(4, leavesMax))
  const of = Array.from({ length: count }, () => rollTree(dice, rows, ids, Math.floor(leavesMax / count), depth + 1))
  return form === 3 ? { all: of } : { any: of }
}

function rollLeaf(dice: Dice, rows: readonly Row[], ids: readonly string[]): Leaf {
  const id = dice.pick(ids)
  const types = ['include', 'exclude', ...textTypes, 'matches', 'is_set', 'is_missing']
  const filterType = dice.pick(numeric.includes(id) ? [...types, ...numberTypes] : types)
  if (filterType.startsWith('is_')) return { id, filterType }
  const some = (roll: () => string) => Array.from({ length: dice.between(1, 3) }, roll)
  if (filterType === 'matches') return { id, filterType, filterValues: some(() => dice.pick(patterns)) }
  if (numberTypes.includes(filterType)) {
    const bound = dice.pick([4, 6, 0, -1, 2.5, 1021, 1e15, 0.3, 8, 3])
    return { id, filterType, filterValues: [dice.between(0, 1) === 1 ? String(bound) : bound] }
  }
  const valueOf = () => String(dice.pick(rows).values[id] ?? 'nothing')
  const isPart = textTypes.includes(filterType)
  return { id, filterType, filterValues: some(() => (isPart ? partOf(dice, valueOf()) : valueOf())) }
}

function partOf(dice: Dice, text: string): string {
  const letters = Array.from(text)
  const from = dice.pick([0, dice.between(0, letters.length)])
  return letters.slice(from, dice.pick([letters.length, from + 1, from + 2])).join('')
}
