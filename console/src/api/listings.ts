import { ApiError } from './api-error.ts'
import { call } from './call.ts'
import { findPanels, type Panel } from './console-lists.ts'
import type { Session } from './session.ts'

export type Metric = {
  readonly key: string
  readonly unit: string
  readonly name: string
  readonly description: string
  readonly test: string
  /** Null if neither more nor less is better. */
  readonly higherIsBetter: boolean | null
  readonly aggregatedOnly: boolean
  readonly splits: readonly string[]
  readonly filters: readonly string[]
}

/** A statistic that an authority publishes. */
export type Preset = {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly source: { readonly authority: string; readonly document: string }
  /** The members of a point that have the statistic. */
  readonly read: string
  readonly metrics: readonly string[]
  /** The fields that a request must have itself. */
  readonly needs: readonly string[]
}

type Dimension = { readonly id: string; readonly name: string; readonly type: 'string' | 'integer' }

export type Listings = {
  readonly metrics: readonly Metric[]
  readonly splits: readonly Dimension[]
  readonly filters: readonly Dimension[]
  readonly tests: readonly string[]
  readonly presets: readonly Preset[]
  readonly panels: readonly Panel[]
}

/** Returns null if no such metric exists, or if the token has no access to it. */
export const metricOf = (metrics: readonly Metric[], key: string): Metric | null =>
  metrics.find((metric) => metric.key === key) ?? null

export const presetOf = (presets: readonly Preset[], key: string): Preset | null =>
  presets.find((preset) => preset.key === key) ?? null

/** Reads what the token has access to. Called when the user signs in or opens the page. */
export async function readListings(session: Session): Promise<Listings> {
  const get = <Data>(path: string) => call<Data>(session, { interface: 'data', method: 'GET', path })
  const [metrics, splits, filters, tests, presets, panels] = await Promise.all([
    get<Metric[]>('/metrics'),
    get<Dimension[]>('/splits'),
    get<Dimension[]>('/filters'),
    get<string[]>('/tests'),
    get<Preset[]>('/presets').catch(noneIfUnknown),
    findPanels(session).catch(noneIfUnknown),
  ])
  return { metrics, splits, filters, tests, presets, panels }
}

/** Returns an empty list if the service does not know the route: the console may use an older service. */
function noneIfUnknown(error: unknown): never[] {
  if (error instanceof ApiError && (error.status === 404 || error.status === 0)) return []
  throw error
}

export type FilterValue = { readonly value: string | number; readonly label: string }

export const filterValuesMax = 50

export const findFilterValues = (
  session: Session,
  id: string,
  search: string,
  signal: AbortSignal,
): Promise<FilterValue[]> => {
  const query = new URLSearchParams({ ...(search === '' ? {} : { search }), limit: String(filterValuesMax) })
  const path = `/filters/${encodeURIComponent(id)}/values?${query}`
  return call<FilterValue[]>(session, { interface: 'data', method: 'GET', path, signal })
}
