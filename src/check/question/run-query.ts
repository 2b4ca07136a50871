import type { QuestionContent } from './content.ts'
import { nearestFirst } from '../choices.ts'
import { FieldFaults, isObject, messages } from '../field-faults.ts'
import { inRequest } from './relocated-faults.ts'

type Query = Readonly<Record<string, unknown>>

/** A request to run, and the place in the caller's request of a field of it. */
export type AskedQuestion = {
  readonly request: Readonly<Record<string, unknown>>
  readonly place: (path: string) => string
}

/** A filter of the request to run, and the path of this filter for the caller. */
type PlacedFilter = { readonly filter: unknown; readonly path: string }

/** Returns the version that the query string asks for. Null means the current one. */
export function checkVersion({ version }: Query): number | null {
  if (version === undefined) return null
  const faults = new FieldFaults()
  const isNumber = typeof version === 'string' && /^[1-9]\d{0,8}$/.test(version)
  if (!isNumber) faults.add('version', 'This value should be a whole number from 1 on.')
  faults.throwIfAny()
  return Number(version)
}

/**
 * Applies the query string of a run to a question: `from` and `to` replace those of the request, and a parameter of the
 * question replaces the filters by the same dimension. Throws a 422 for any other parameter. The values are not checked.
 */
export function applyQuery({ request, parameters }: QuestionContent, query: Query): AskedQuestion {
  const faults = new FieldFaults()
  const known = ['from', 'to', 'format', 'version', ...parameters]
  for (const [name, value] of Object.entries(query)) {
    if (!known.includes(name)) faults.add(name, messages.unexpected, () => nearestFirst(name, known))
    else if (Array.isArray(value) && !parameters.includes(name)) {
      faults.add(name, 'This parameter may occur only once.')
    }
  }
  faults.throwIfAny()
  const given = ['from', 'to'].filter((name) => query[name] !== undefined)
  const time = { ...(isObject(request['time']) ? request['time'] : {}), ...pick(query, given) }
  const filters = parameters
    .filter((id) => query[id] !== undefined)
    .reduce((placed, id) => withParameter(placed, id, query[id]), placedFilters(request['filters']))
  return {
    request: {
      ...request,
      ...(given.length === 0 ? {} : { time }),
      ...(filters.length === 0 ? {} : { filters: filters.map(({ filter }) => filter) }),
    },
    place: (path) => placeOf(path, given, filters),
  }
}

const pick = (query: Query, names: readonly string[]): Query =>
  Object.fromEntries(names.map((name) => [name, query[name]]))

const placedFilters = (filters: unknown): readonly PlacedFilter[] =>
  Array.isArray(filters)
    ? filters.map((filter: unknown, index) => ({ filter, path: inRequest(`filters[${index}]`) }))
    : []

/** Puts the parameter where the first filter by its dimension is. Filters in groups stay. */
function withParameter(placed: readonly PlacedFilter[], id: string, value: unknown): readonly PlacedFilter[] {
  const filterValues = Array.isArray(value) ? value : [value]
  const parameter = { filter: { id, filterType: 'include', filterValues }, path: id }
  const isOfDimension = ({ filter }: PlacedFilter): boolean => isObject(filter) && filter['id'] === id
  const first = placed.findIndex(isOfDimension)
  if (first === -1) return [...placed, parameter]
  return placed.flatMap((one, index) => (index === first ? parameter : isOfDimension(one) ? [] : one))
}

function placeOf(path: string, given: readonly string[], filters: readonly PlacedFilter[]): string {
  const [, index, rest = ''] = /^filters\[(\d+)\](.*)$/s.exec(path) ?? []
  const filter = index === undefined ? undefined : filters[Number(index)]
  if (filter !== undefined) return filter.path.startsWith('request[') ? filter.path + rest : filter.path
  const [first] = given
  if (/^time(\[(from|to)\])?$/.test(path) && first !== undefined) {
    return given.find((name) => path === `time[${name}]`) ?? first
  }
  return path === 'format' ? path : inRequest(path)
}
