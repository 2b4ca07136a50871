import type { MetricDefinition } from '../../../catalog/define-metric.ts'
import { filterTypes, filterTypesOf, type FilterType } from '../../../catalog/filter-types.ts'
import { isAllowedWith, type VisibleDimension } from '../../../catalog/visible.ts'
import { choiceDetail } from '../../choices.ts'
import { isAbsent, isObject, messages, type FieldFaults } from '../../field-faults.ts'
import { leavesOf, type MetricFilter } from './filter-tree.ts'
import { nameIn } from '../metrics.ts'
import { checkFilterValues } from './filter-values.ts'

export const filtersMax = 50
/** Maximum number of filters in groups and outside groups together. */
export const leavesMax = 100
/** A group directly in the list has depth 1. */
export const depthMax = 5
/** Maximum number of patterns (`matches`) in all filters of a list together. ClickHouse compiles each of them. */
export const patternsMax = 100

const groupKinds = ['any', 'all', 'not'] as const

/** The API accepts these aliases because existing clients send them. Other code uses only the names of the types. */
export const filterTypeNames: ReadonlyMap<unknown, FilterType> = new Map<unknown, FilterType>([
  ...filterTypes.map((type): [string, FilterType] => [type, type]),
  ['inclusive', 'include'],
  ['exclusive', 'exclude'],
  ['1', 'include'],
  ['0', 'exclude'],
  [1, 'include'],
  [0, 'exclude'],
])

/** The dimensions that the caller may use, by id. */
export type Dimensions = ReadonlyMap<unknown, VisibleDimension>

/** What the filters of a request are checked with. `metrics` is empty for test data, and if the request has no valid metric. */
type Terms = {
  readonly dimensions: Dimensions
  readonly metrics: readonly MetricDefinition[]
  readonly faults: FieldFaults
}

/** Without metrics, dimensions are checked by their id only. */
export function checkFilters(
  value: unknown,
  dimensions: Dimensions,
  metrics: readonly MetricDefinition[],
  faults: FieldFaults,
  path = 'filters',
): readonly MetricFilter[] {
  if (isAbsent(value)) return []
  if (!Array.isArray(value)) faults.add(path, messages.type('array'))
  else if (value.length > filtersMax) faults.add(path, `There may be at most ${filtersMax} filters.`)
  else if (countLeaves(value) > leavesMax) {
    faults.add(path, `There may be at most ${leavesMax} filters in groups and outside groups together.`)
  } else {
    const filters = checkList(value, path, 1, { dimensions, metrics, faults })
    const patterns = leavesOf(filters).flatMap(({ type, values }) => (type === 'matches' ? values : []))
    if (patterns.length > patternsMax) {
      faults.add(path, `There may be at most ${patternsMax} values of filters with the type "matches".`)
    }
    return filters
  }
  return []
}

/** Counts the items of a list of filters that are not groups. */
const countLeaves = (items: readonly unknown[]): number =>
  items.reduce<number>((sum, item) => {
    const kind = groupKindOf(item)
    if (!isObject(item) || kind === undefined) return sum + 1
    const inside = item[kind]
    return sum + countLeaves(Array.isArray(inside) ? inside : [inside])
  }, 0)

const groupKindOf = (item: unknown): (typeof groupKinds)[number] | undefined =>
  isObject(item) ? groupKinds.find((kind) => Object.hasOwn(item, kind)) : undefined

/** `depth` is the depth that a group in this list has. */
const checkList = (items: readonly unknown[], path: string, depth: number, terms: Terms): MetricFilter[] =>
  items.flatMap((item, index) => checkFilter(item, `${path}[${index}]`, depth, terms))

function checkFilter(item: unknown, path: string, depth: number, terms: Terms): MetricFilter[] {
  const { faults } = terms
  if (!isObject(item)) {
    faults.add(path, messages.type('object'))
    return []
  }
  const kind = groupKindOf(item)
  if (kind === undefined) return checkLeaf(item, path, terms)
  faults.addUnexpected(item, [kind], path)
  if (depth > depthMax) {
    faults.add(path, `Groups may be nested to a depth of ${depthMax}.`)
    return []
  }
  const inside = item[kind]
  if (kind === 'not') {
    return checkFilter(inside, `${path}[not]`, depth + 1, terms).map((of) => ({ kind: 'not', of }))
  }
  if (!Array.isArray(inside)) faults.add(`${path}[${kind}]`, messages.type('array'))
  else if (inside.length === 0) faults.add(`${path}[${kind}]`, 'There must be at least 1 filter.')
  else return [{ kind, of: checkList(inside, `${path}[${kind}]`, depth + 1, terms) }]
  return []
}

function checkLeaf(
  item: Readonly<Record<string, unknown>>,
  path: string,
  { dimensions, metrics, faults }: Terms,
): MetricFilter[] {
  faults.addUnexpected(item, ['id', 'filterType', 'filterValues'], path)
  const dimension = checkDimension(item['id'], `${path}[id]`, dimensions, metrics, faults)
  const type = checkType(item['filterType'], `${path}[filterType]`, dimension, faults)
  const values = checkFilterValues(item['filterValues'], `${path}[filterValues]`, dimension, type, faults)
  return dimension === null || type === null ? [] : [{ kind: 'leaf', dimension, type, values }]
}

function checkType(
  value: unknown,
  path: string,
  dimension: VisibleDimension | null,
  faults: FieldFaults,
): FilterType | null {
  const type = filterTypeNames.get(value)
  const choices = dimension === null ? filterTypes : filterTypesOf(dimension.source)
  if (type !== undefined && choices.includes(type)) return type
  const message = value === undefined ? messages.missing : messages.choice
  const reason = type === undefined ? undefined : `${dimension?.id} has no numbers to compare.`
  faults.add(path, message, () => choiceDetail('', choices, reason))
  return null
}

/**
 * Returns the dimension if the caller may use it with all of these metrics. A dimension that the caller may not see gets the same
 * fault as an unknown one.
 */
export function checkDimension(
  id: unknown,
  path: string,
  dimensions: Dimensions,
  metrics: readonly MetricDefinition[],
  faults: FieldFaults,
): VisibleDimension | null {
  const lacking = (one: VisibleDimension) => metrics.find((metric) => !isAllowedWith(one, metric))
  const isUsable = (one: VisibleDimension) => lacking(one) === undefined
  const dimension = dimensions.get(id)
  if (dimension !== undefined && isUsable(dimension)) return dimension
  const ids = () => [...dimensions.values()].filter(isUsable).map((one) => one.id)
  const without = dimension === undefined ? undefined : lacking(dimension)
  const reason =
    dimension !== undefined && without !== undefined
      ? `${dimension.id} is not a dimension of ${nameIn(metrics, without)}.`
      : 'No dimension you can use has this id.'
  faults.addChoice(path, id, ids, reason)
  return null
}
