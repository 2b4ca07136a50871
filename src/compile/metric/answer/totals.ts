import { total } from '../../../catalog/aggregations.ts'
import { totalSets, type TotalSet } from '../../../check/metric/series/totals.ts'
import type { MetricPlan } from '../metric-plan.ts'

/** Where the points of a total are: among the points of the response, or in a plan of their own. */
type Source = TotalSet | 'points'

type Asked = Pick<MetricPlan, 'aggregation' | 'splits'>

/** Without splits, or over the whole range, some totals are the points of the response, and some are equal. */
export function sourceOf(set: TotalSet, { aggregation, splits }: Asked): Source {
  const hasSplits = splits.length > 0 && set !== 'overall'
  const hasBuckets = aggregation?.key !== 'total' && set !== 'totals'
  if (hasSplits) return hasBuckets ? 'grand' : 'totals'
  return hasBuckets ? 'overall' : 'points'
}

/** The plans of the totals that are not among the points of the response. */
export const totalPlansOf = (plan: MetricPlan): readonly { readonly set: TotalSet; readonly plan: MetricPlan }[] =>
  totalSets
    .filter((set) => totalSets.some((one) => sourceOf(one, plan) === set))
    .map((set) => ({ set, plan: planOfSet(plan, set) }))

/**
 * The plan of a request for the points of a set. Agents and units are counted again, because one of them can have results with
 * several values of a split.
 */
function planOfSet(plan: MetricPlan, set: TotalSet): MetricPlan {
  const { each, ...own } = plan
  const ofSet = (one: MetricPlan): MetricPlan => {
    const withSplits = set === 'overall' ? one : withoutSplits(one)
    return set === 'totals' ? withSplits : overTheRange(withSplits)
  }
  return { ...ofSet(own), ...(each === undefined ? {} : { each: each.map(ofSet) }) }
}

/** Without splits there is one series, so `top` has nothing to choose. */
const withoutSplits = ({ top: _top, ...plan }: MetricPlan): MetricPlan => ({ ...plan, splits: [] })

/** A point of the whole range is no period, so it is neither partial nor one of several buckets. */
function overTheRange({ whole: _whole, emptyBuckets: _empty, ...plan }: MetricPlan): MetricPlan {
  return { ...plan, aggregation: total }
}
