import { isObject } from '../check/field-faults.ts'
import type { BoundForm, PointSelection } from '../check/metric/point-selection.ts'

type Row = readonly unknown[]
type Points = { readonly columns: readonly string[]; readonly rows: readonly Row[] }

/** What a request asks for, as far as it determines the columns of its points. */
type Asked = PointSelection & { readonly splits: readonly { readonly id: string }[] }

/**
 * Keeps the points that meet the conditions of `having`, orders them, and returns the first `limit` points. Points that are
 * equal in `order` keep their order: by split, then by period. Comparisons must already be computed, because their p-values
 * are adjusted for all points. `levels` are the keys of `percentiles`.
 */
export function selectedPoints(asked: Asked, { columns, rows }: Points, levels: readonly string[]): Points {
  const { having = [], order = [], limit = rows.length } = asked
  const valueOf = (name: string) => reader(name, asked.splits, columns, levels)
  const conditions = having.map(({ field, is, value }) => {
    const [read, meets] = [valueOf(field), bounds[is]]
    return (row: Row) => {
      const found = read(row)
      return typeof found === 'number' && meets(found, value)
    }
  })
  const keys = order.map(({ by, direction }) => ({ read: valueOf(by), sign: direction === 'asc' ? 1 : -1 }))
  const kept = rows.filter((row) => conditions.every((meets) => meets(row)))
  const ordered =
    keys.length === 0
      ? kept
      : kept.toSorted((one, other) => {
          for (const { read, sign } of keys) {
            const difference = compared(read(one), read(other), sign)
            if (difference !== 0) return difference
          }
          return 0
        })
  return { columns, rows: ordered.slice(0, limit) }
}

const bounds: Readonly<Record<BoundForm, (found: number, bound: number) => boolean>> = {
  atLeast: (found, bound) => found >= bound,
  above: (found, bound) => found > bound,
  atMost: (found, bound) => found <= bound,
  below: (found, bound) => found < bound,
}

/** Returns a function that reads a value of a point by its name in the response, such as `percentiles.95`. */
function reader(
  name: string,
  splits: Asked['splits'],
  columns: readonly string[],
  levels: readonly string[],
): (row: Row) => unknown {
  const split = splits.findIndex(({ id }) => id === name)
  if (split !== -1) return (row) => row[split]
  const dot = name.indexOf('.')
  const [outer, inner] = dot === -1 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)]
  const flat = columns.indexOf(inner === '' ? outer : `${outer}_${inner}`, splits.length)
  if (flat !== -1) return (row) => row[flat]
  const nested = columns.indexOf(outer, splits.length)
  if (nested === -1) throw new Error(`no column of the points has ${name}`)
  const level = levels.indexOf(inner)
  return (row) => {
    const value = row[nested]
    return Array.isArray(value) ? value[level] : isObject(value) ? value[inner] : null
  }
}

/** Values that are missing come last in both directions. */
function compared(one: unknown, other: unknown, sign: number): number {
  if (isMissing(one) || isMissing(other)) return Number(isMissing(one)) - Number(isMissing(other))
  if (typeof one === 'number' && typeof other === 'number') return sign * Math.sign(one - other)
  return sign * Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}

const isMissing = (value: unknown): boolean => value === null || value === undefined
