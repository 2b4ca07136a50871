import type { MetricPlan } from '../metric/metric-plan.ts'
import { coarsestGrain, type Grain } from './grains.ts'

/** Null when only results can answer: exact percentiles, parts of days, what sums are not kept by, files. */
export function rolledGrain(plan: MetricPlan): Grain | null {
  const { aggregation, percentiles, splits, filters, storedBefore } = plan
  if (aggregation === null || aggregation.hours !== null || percentiles === 'exact') return null
  if (storedBefore !== undefined) return null
  return coarsestGrain([...splits.map(({ source }) => source), ...filters.map(({ dimension: { source } }) => source)])
}
