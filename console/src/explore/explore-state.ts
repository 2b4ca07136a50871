import { aggregationOf, type Aggregation } from './aggregations.ts'

export type FilterState = {
  readonly id: string
  readonly type: 'include' | 'exclude'
  readonly values: readonly string[]
}

export const views = ['mean', 'percentiles', 'table'] as const
export type View = (typeof views)[number]

/** Determines everything that the page Explore shows. It is stored in the address. */
export type ExploreState = {
  readonly metric: string
  readonly aggregation: Aggregation['key']
  /** True if the page shows every single result instead of aggregated points. */
  readonly isRaw: boolean
  readonly from: string
  readonly to: string
  readonly normalised: boolean
  readonly prefilter: boolean
  readonly splits: readonly string[]
  readonly filters: readonly FilterState[]
  readonly panels: readonly string[]
  readonly view: View
  /** The key of a preset; empty if the points have the usual statistics. */
  readonly preset: string
}

export function readState(address: URLSearchParams, firstMetric: string): ExploreState {
  const get = (name: string, otherwise: string) => address.get(name) ?? otherwise
  return {
    metric: get('metric', firstMetric),
    aggregation: aggregationOf(get('aggregation', 'daily')).key,
    isRaw: get('chart', '') === 'raw',
    from: get('from', '-28 days'),
    to: get('to', 'now'),
    normalised: get('normalised', 'false') === 'true',
    prefilter: get('prefilter', 'true') === 'true',
    splits: address.getAll('split'),
    filters: address.getAll('filter').flatMap(readFilter),
    panels: address.getAll('panel'),
    view: views.find((one) => one === address.get('view')) ?? 'mean',
    preset: get('preset', ''),
  }
}

/**
 * Parses a filter, which is written as `["isp","include","Northnet"]`. The text may be incomplete: mail programs shorten
 * addresses.
 */
function readFilter(text: string): FilterState[] {
  try {
    const parts: unknown = JSON.parse(text)
    if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string')) return []
    const [id = '', type, ...values] = parts
    return [{ id, type: type === 'exclude' ? 'exclude' : 'include', values }]
  } catch {
    return []
  }
}

export function writeState(state: ExploreState): URLSearchParams {
  const address = new URLSearchParams()
  for (const name of ['metric', 'aggregation', 'from', 'to', 'normalised', 'prefilter', 'view'] as const) {
    address.set(name, String(state[name]))
  }
  if (state.preset !== '') address.set('preset', state.preset)
  if (state.isRaw) address.set('chart', 'raw')
  for (const split of state.splits) address.append('split', split)
  for (const { id, type, values } of state.filters) address.append('filter', JSON.stringify([id, type, ...values]))
  for (const panel of state.panels) address.append('panel', panel)
  return address
}
