import type { MetricRequest } from '../api/metric-data.ts'
import type { ExploreState } from './explore-state.ts'

/** A filter counts from its first value on; one that is still empty would be refused. */
const filtersInForce = ({ filters }: ExploreState) => filters.filter(({ values }) => values.length > 0)

/** What is sent: exactly this, and exactly this is shown. */
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
    ...(state.panels.length === 0 ? {} : { panel: state.panels }),
  }
}

/** Where an error about `filters[1]` belongs among the filters on the page, which may hold empty ones. */
export const positionsInRequest = (state: ExploreState): number[] => {
  const sent = filtersInForce(state)
  return state.filters.map((filter) => sent.indexOf(filter))
}
