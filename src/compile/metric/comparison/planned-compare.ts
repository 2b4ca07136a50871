import { shiftOf, type Compare } from '../../../check/metric/compare.ts'
import type { MetricRequest } from '../../../check/metric/metric-request.ts'
import { isChronological, type LocalRange } from '../../../check/metric/periods.ts'
import type { ResolvedFilter, ResolvedLeaf } from '../filter-condition.ts'

/** The base of a comparison after all look-ups. */
type PlannedBase =
  /** A result of this range belongs to the bucket that is `shiftDays` later. */
  | { readonly kind: 'time'; readonly range: LocalRange; readonly shiftDays: number }
  | { readonly kind: 'filters'; readonly filters: readonly ResolvedFilter[] }
  | { readonly kind: 'split'; readonly filter: ResolvedLeaf }

export type PlannedCompare = Omit<Compare, 'base'> & { readonly base: PlannedBase }

/** Returns the filters of the base, so that the service can warn of values that no agent and no result has. */
export function resolvedBaseFilters(compare: PlannedCompare | undefined): readonly ResolvedFilter[] {
  if (compare?.base.kind === 'filters') return compare.base.filters
  return compare?.base.kind === 'split' ? [compare.base.filter] : []
}

/**
 * The fields of a request that its base depends on. `asked` is the range of the request before `wholePeriods` has narrowed it.
 */
type Request = Pick<MetricRequest, 'aggregation' | 'from' | 'to'> & { readonly asked: LocalRange }

export function plannedCompare(
  { base, ...rest }: Compare,
  { aggregation, from, to, asked }: Request,
  filters: readonly ResolvedFilter[],
): PlannedCompare {
  if (base.kind === 'filters') return { ...rest, base: { kind: 'filters', filters } }
  if (base.kind === 'split') {
    const [filter] = filters
    if (filter?.kind !== 'leaf') throw new Error('the base of a split was not resolved')
    return { ...rest, base: { kind: 'split', filter } }
  }
  if (aggregation !== null && isChronological(aggregation)) {
    // `wholePeriods` narrows the base as much as the request. The previous periods are those before the narrowed range.
    const shift = base.kind === 'previous' ? to - from + 1 : shiftOf(base, asked)
    return { ...rest, base: { kind: 'time', range: { from: from - shift, to: to - shift }, shiftDays: shift / 86_400 } }
  }
  const range = base.kind === 'previous' ? { from: from - shiftOf(base, { from, to }), to: from - 1 } : base
  return { ...rest, base: { kind: 'time', range: { from: range.from, to: range.to }, shiftDays: 0 } }
}
