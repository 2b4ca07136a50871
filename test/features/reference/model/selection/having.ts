import type { Point } from '../request.ts'
import type { Rules } from '../rules.ts'

export const bounds = ['atLeast', 'above', 'atMost', 'below'] as const

/** A condition on a number of the points, with exactly one bound. */
export type Having = { field: string } & Partial<Record<(typeof bounds)[number], number>>

/** A number of a point. Those in objects have names with a dot, such as `percentiles.2.5`. Null if the point has none. */
export function numberIn(point: Point, name: string): number | null {
  const dot = name.indexOf('.')
  const holder = dot === -1 ? point : point[name.slice(0, dot)]
  if (typeof holder !== 'object' || holder === null) return null
  const value = (holder as Point)[dot === -1 ? name : name.slice(dot + 1)]
  return typeof value === 'number' ? value : null
}

export function meets(point: Point, { field, atLeast, above, atMost, below }: Having, rules: Rules): boolean {
  const value = numberIn(point, field) ?? (rules.havingNull === 'fails' ? null : 0)
  if (value === null) return false
  if (atLeast !== undefined) return value > atLeast || (value === atLeast && rules.havingBounds === 'as named')
  if (above !== undefined) return value > above
  if (atMost !== undefined) return value < atMost || (value === atMost && rules.havingBounds === 'as named')
  return value < (below ?? NaN)
}
