import type { Filter } from '../reference/model/filters/filter.ts'
import type { MetricRequest } from '../reference/model/request.ts'

const listNames: Readonly<Record<string, string>> = {
  splits: 'split',
  fields: 'field',
  percentileLevels: 'percentileLevel',
}
const typeNames = new Map<unknown, string>([
  [1, 'include'],
  ['1', 'include'],
  ['inclusive', 'include'],
  [0, 'exclude'],
  ['0', 'exclude'],
  ['exclusive', 'exclude'],
])

type Pair = [name: string, value: string]

/** Returns the query string of a request by the table of the documentation, or null if a query string cannot express it. */
export function asQueryString({ time, filters = [], ...request }: MetricRequest): URLSearchParams | null {
  const ofFilters = filtersAs('filter', filters)
  const others = Object.entries(request).map(([name, value]) => pairsOf(name, value))
  if (ofFilters === null || others.includes(null)) return null
  const pairs = [...others.flatMap((one) => one ?? []), ...ofFilters]
  return new URLSearchParams([...pairs, ['from', String(time.from)], ['to', String(time.to)]])
}

function pairsOf(name: string, value: unknown): Pair[] | null {
  if (value === null || value === undefined) return []
  if (name === 'compare.filters') return filtersAs('compare.filter', value as readonly Filter[])
  if (Array.isArray(value)) return value.map((item): Pair => [listNames[name] ?? name, String(item)])
  if (typeof value !== 'object') return [[name, typeof value === 'string' ? value : JSON.stringify(value)]]
  const members = Object.entries(value).map(([member, inner]) => pairsOf(`${name}.${member}`, inner))
  return members.includes(null) ? null : members.flatMap((one) => one ?? [])
}

/** Two filters with the same name would become one. Groups and empty lists have no parameter. */
function filtersAs(prefix: string, filters: readonly Filter[]): Pair[] | null {
  const conditions = filters.flatMap((filter) =>
    'id' in filter && filter.filterValues !== undefined ? [{ ...filter, filterValues: filter.filterValues }] : [],
  )
  if (conditions.length < filters.length) return null
  const names = conditions.map(
    ({ id, filterType }) => `${prefix}.${id}.${typeNames.get(filterType) ?? String(filterType)}`,
  )
  if (new Set(names).size < names.length) return null
  if (prefix !== 'filter' && filters.length === 0) return null
  return conditions.flatMap(({ filterValues }, index) =>
    filterValues.map((value): Pair => [names[index] ?? '', String(value)]),
  )
}
