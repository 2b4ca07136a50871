import type { MetricRequest } from '../api/metric-data.ts'
import type { ExploreState } from './explore-state.ts'

/** A filter takes effect when it has a value. The service would refuse a filter without values. */
const filtersInForce = ({ filters }: ExploreState) => filters.filter(({ values }) => values.length > 0)

/** Builds the request. The page sends and shows exactly this request. */
export function metricRequest(state: ExploreState): MetricRequest {
  const filters = filtersInForce(state).map(({ id, type, values }) => ({ id, filterType: type, filterValues: values }))
  return {
    metric: state.metric,
    ...(state.isRaw ? { chartType: 'raw' } : { chartType: 'aggregate', aggregation: state.aggregation }),
    normalised: state.normalised,
    prefilter: state.prefilter,
    ...(state.splits.length === 0 ? {} : { splits: state.splits }),
    ...(filters.length === 0 ? {} : { filters }),
    time: { from: state.from, to: state.to },
    ...(state.preset === '' || state.isRaw ? {} : { preset: state.preset }),
    ...(state.panels.length === 0 ? {} : { panel: state.panels }),
  }
}

/**
 * Returns the index of each filter in the request, to find the filter for an error such as `filters[1]`. Filters without values
 * are not in the request.
 */
export const positionsInRequest = (state: ExploreState): number[] => {
  const sent = filtersInForce(state)
  return state.filters.map((filter) => sent.indexOf(filter))
}
