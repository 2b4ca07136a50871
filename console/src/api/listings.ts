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
  readonly higherIsBetter: boolean
  readonly aggregatedOnly: boolean
  readonly splits: readonly string[]
  readonly filters: readonly string[]
}

type Dimension = { readonly id: string; readonly name: string; readonly type: 'string' | 'integer' }

export type Listings = {
  readonly metrics: readonly Metric[]
  readonly splits: readonly Dimension[]
  readonly filters: readonly Dimension[]
  readonly tests: readonly string[]
  readonly panels: readonly Panel[]
}

/** Null: the token may not ask for it, or there is none of that name. */
export const metricOf = (metrics: readonly Metric[], key: string): Metric | null =>
  metrics.find((metric) => metric.key === key) ?? null

/** What this token may ask for; asked once, at sign-in or when the page is opened again. */
export async function readListings(session: Session): Promise<Listings> {
  const get = <Data>(path: string) => call<Data>(session, { interface: 'data', method: 'GET', path })
  const [metrics, splits, filters, tests, panels] = await Promise.all([
    get<Metric[]>('/metrics'),
    get<Dimension[]>('/splits'),
    get<Dimension[]>('/filters'),
    get<string[]>('/tests'),
    findPanels(session).catch(noneIfUnknown),
  ])
  return { metrics, splits, filters, tests, panels }
}

/** The console may be pointed at an older service, which has no such list. */
function noneIfUnknown(error: unknown): Panel[] {
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
