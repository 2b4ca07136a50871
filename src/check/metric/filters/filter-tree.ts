import type { FilterType } from '../../../catalog/filter-types.ts'
import type { VisibleDimension } from '../../../catalog/visible.ts'

/** A condition on one dimension. `values` are texts; those of a comparison are the decimal notation of a number. */
export type FilterLeaf = {
  readonly kind: 'leaf'
  readonly dimension: VisibleDimension
  readonly type: FilterType
  readonly values: readonly string[]
}

/** A condition, or conditions of which all must be true (`all`), at least one (`any`), or the one must be false (`not`). */
export type FilterTree<Leaf> =
  | Leaf
  | { readonly kind: 'all' | 'any'; readonly of: readonly FilterTree<Leaf>[] }
  | { readonly kind: 'not'; readonly of: FilterTree<Leaf> }

export type MetricFilter = FilterTree<FilterLeaf>

type AnyLeaf = { readonly kind: 'leaf' }

/** A leaf, and its path in the request, such as `filters[0][any][1]`. */
export type PlacedLeaf<Leaf> = { readonly leaf: Leaf; readonly path: string }

/** `path` is the path of the list. */
export const placedLeaves = <Leaf extends AnyLeaf>(
  filters: readonly FilterTree<Leaf>[],
  path = 'filters',
): PlacedLeaf<Leaf>[] => filters.flatMap((filter, index) => leavesAt(filter, `${path}[${index}]`))

function leavesAt<Leaf extends AnyLeaf>(filter: FilterTree<Leaf>, path: string): PlacedLeaf<Leaf>[] {
  if (filter.kind === 'leaf') return [{ leaf: filter, path }]
  const inside = `${path}[${filter.kind}]`
  return filter.kind === 'not' ? leavesAt(filter.of, inside) : placedLeaves(filter.of, inside)
}

export const leavesOf = <Leaf extends AnyLeaf>(filters: readonly FilterTree<Leaf>[]): Leaf[] =>
  placedLeaves(filters).map(({ leaf }) => leaf)

/** Returns the same tree with other leaves. */
export function mapLeaves<Leaf extends AnyLeaf, Changed extends AnyLeaf>(
  filter: FilterTree<Leaf>,
  change: (leaf: Leaf) => Changed,
): FilterTree<Changed> {
  if (filter.kind === 'leaf') return change(filter)
  if (filter.kind === 'not') return { kind: 'not', of: mapLeaves(filter.of, change) }
  return { kind: filter.kind, of: filter.of.map((one) => mapLeaves(one, change)) }
}
