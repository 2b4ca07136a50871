import { Fault, validationFail } from '../../base/fault.ts'
import { filterTypes, isPresenceFilter } from '../../catalog/filter-types.ts'
import { nearestFirst } from '../choices.ts'
import { FieldFaults, messages } from '../field-faults.ts'
import { boundForms } from './point-selection.ts'

type Query = Readonly<Record<string, unknown>>
type Body = Record<string, unknown>

/**
 * How the text of a parameter becomes a value of the body. An `order` is a name, with `:asc` or `:desc` or without. `keys` are
 * several texts with commas between them.
 */
type Kind = 'text' | 'number' | 'flag' | 'order' | 'keys'

/** `path` is the place of the value in the body. A parameter of a list may be repeated. */
type Parameter = { readonly path: readonly string[]; readonly kind: Kind; readonly isList: boolean }

const named = (kind: Kind, names: readonly string[], isList = false): [string, Parameter][] =>
  names.map((name) => [name, { path: name.split('.'), kind, isList }])

const renamed = (name: string, path: readonly string[], kind: Kind, isList: boolean): [string, Parameter] => [
  name,
  { path, kind, isList },
]

/** The parameters of `GET /metric_data`, without `format` and filters. A dot in a name stands for a member of an object. */
export const queryParameters: ReadonlyMap<string, Parameter> = new Map([
  ...named('text', ['metric', 'preset', 'chartType', 'aggregation', 'percentiles', 'intervals', 'relativeTo']),
  ...named('keys', ['metrics'], true),
  ...named('flag', ['normalised', 'prefilter', 'wholePeriods', 'emptyBuckets', 'totals', 'agent_agg']),
  renamed('from', ['time', 'from'], 'text', false),
  renamed('to', ['time', 'to'], 'text', false),
  renamed('split', ['splits'], 'text', true),
  renamed('field', ['fields'], 'text', true),
  renamed('percentileLevel', ['percentileLevels'], 'number', true),
  ...named('text', ['panel', 'include'], true),
  ...named('number', ['window.weekdays', 'window.hours', 'histogram.edges'], true),
  ...named('text', ['perAgent.statistic', 'histogram.bins']),
  ...named(
    'number',
    ['level', 'low', 'high', 'atLeast', 'below', 'minimumResults'].map((one) => `perAgent.${one}`),
  ),
  ...named('number', ['reaching.atLeast', 'reaching.above', 'reaching.below']),
  ...named('flag', ['compare.previous', 'top.others']),
  ...named('text', ['top.by', 'top.direction']),
  ...named(
    'text',
    ['time.from', 'time.to', 'split', 'base', 'match'].map((one) => `compare.${one}`),
  ),
  ...named('number', ['compare.margin', 'compare.marginPercent', 'compare.alpha', 'limit', 'top.n']),
  ...named('order', ['order'], true),
  ...named('text', ['after']),
])

/** The list of filters that a parameter with this prefix adds to. */
const filterPrefixes = [
  ['filter.', ['filters']],
  ['compare.filter.', ['compare', 'filters']],
] as const

/** A parameter that adds a condition to `having`, such as `having.percentiles.95.atLeast`. */
const conditionName = new RegExp(`^having\\.(.+)\\.(${boundForms.join('|')})$`, 's')

/** A request in the query string as the body of a POST. `named` gives the fields of an error the names of the parameters. */
export type QueriedRequest = { readonly body: Body; readonly named: (error: unknown) => unknown }

/** Throws a 422 for unknown parameters, and for repeated parameters that are no lists. Does not check the values. */
export function checkQueryString(query: Query): QueriedRequest {
  const faults = new FieldFaults()
  const body: Body = { chartType: 'aggregate', normalised: false, prefilter: true, time: {} }
  const names = new Map<string, string>()
  for (const [name, value] of Object.entries(query)) {
    const texts = (Array.isArray(value) ? value : [value]).map(String)
    const prefix = filterPrefixes.find(([one]) => name.startsWith(one) && name.length > one.length)
    const [, field, bound = ''] = conditionName.exec(name) ?? []
    const parameter = queryParameters.get(name)
    if (field !== undefined) {
      const having = listAt(body, ['having'])
      names.set(`having.${having.length}`, name)
      having.push(...texts.map((text) => ({ field, [bound]: valueOf('number', text) })))
    } else if (prefix !== undefined) {
      const filters = listAt(body, prefix[1])
      names.set(`${prefix[1].join('.')}.${filters.length}`, name)
      filters.push(filterOf(name.slice(prefix[0].length), texts))
    } else if (parameter === undefined) {
      faults.add(name, messages.unexpected, () => nearestFirst(name, parameterNames))
    } else if (texts.length > 1 && !parameter.isList) {
      faults.add(name, 'This parameter may occur only once.')
    } else {
      const values = texts.flatMap((text) => valueOf(parameter.kind, text))
      setAt(body, parameter.path, parameter.isList ? values : values[0])
    }
  }
  faults.throwIfAny()
  return { body, named: (error) => namedByParameters(error, names) }
}

const parameterNames = [
  ...queryParameters.keys(),
  'format',
  'filter.<dimension>',
  'compare.filter.<dimension>',
  'having.<field>.<bound>',
]

/** A text that is neither a number nor a truth value stays a text, so that the check of the body says what is wrong. */
function valueOf(kind: Kind, text: string): unknown {
  if (kind === 'order') {
    const [, by, direction] = /^(.*?)(?::(asc|desc))?$/s.exec(text) ?? []
    return { by, ...(direction === undefined ? {} : { direction }) }
  }
  if (kind === 'keys') return text.split(',')
  if (kind === 'flag' && (text === 'true' || text === 'false')) return text === 'true'
  return kind === 'number' && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text
}

function filterOf(name: string, values: readonly string[]): Body {
  const [, id = name, filterType = 'include'] =
    (name.startsWith('custom.') ? customFilter : plainFilter).exec(name) ?? []
  // `is_set` and `is_missing` have no values. Their parameter is `true`.
  const type = filterTypes.find((one) => one === filterType)
  const isPresence = type !== undefined && isPresenceFilter(type) && values.every((one) => one === 'true')
  return { id, filterType, ...(isPresence ? {} : { filterValues: values }) }
}

const plainFilter = /^([^.]+)\.(.+)$/s
/**
 * The keys of custom fields can contain dots, so a text after the last dot is a part of the key unless it is a type. The ids of
 * all other dimensions have no dot.
 */
const customFilter = new RegExp(`^(custom\\..+)\\.(${filterTypes.join('|')})$`, 's')

/** Returns the object at a path of the body. Creates the objects that are missing. */
function objectAt(body: Body, path: readonly string[]): Body {
  return path.reduce<Body>((object, name) => {
    const present = object[name]
    if (isRecord(present)) return present
    const created: Body = {}
    object[name] = created
    return created
  }, body)
}

const isRecord = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

function setAt(body: Body, path: readonly string[], value: unknown): void {
  objectAt(body, path.slice(0, -1))[path.at(-1) ?? ''] = value
}

function listAt(body: Body, path: readonly string[]): unknown[] {
  const object = objectAt(body, path.slice(0, -1))
  const present = object[path.at(-1) ?? '']
  if (Array.isArray(present)) return present
  const created: unknown[] = []
  object[path.at(-1) ?? ''] = created
  return created
}

const namesOfPaths = new Map([...queryParameters].map(([name, { path }]) => [path.join('.'), name]))

function namedByParameters(error: unknown, filters: ReadonlyMap<string, string>): unknown {
  if (!(error instanceof Fault) || error.errors === undefined) return error
  const errors: Record<string, string[]> = {}
  const details: NonNullable<Fault['details']> = {}
  for (const [path, found] of Object.entries(error.errors)) {
    const name = parameterOf(path, filters)
    errors[name] = [...(errors[name] ?? []), ...found]
    const detail = error.details?.[path]
    if (detail !== undefined) details[name] ??= detail
  }
  return validationFail(errors, details)
}

/** Returns the name of the parameter that gave the value at a path such as `time[from]` or `filters[0][id]`. */
function parameterOf(path: string, filters: ReadonlyMap<string, string>): string {
  const steps = path.match(/[^[\]]+/g) ?? []
  const filter = steps
    .map((_, index) => filters.get(steps.slice(0, index + 1).join('.')))
    .find((one) => one !== undefined)
  const place = steps.filter((step) => !/^\d+$/.test(step)).join('.')
  if (filter !== undefined) return filter
  return place === 'time' ? 'from' : (namesOfPaths.get(place) ?? namesOfPaths.get(steps[0] ?? '') ?? place)
}
