import type { MetricDefinition } from '../../catalog/define-metric.ts'
import { isNumeric } from '../../catalog/dimensions.ts'
import { canBeAskedWith, type VisibleDimension } from '../../catalog/visible.ts'
import { choiceDetail } from '../choices.ts'
import { isAbsent, isObject, isLonger, messages, type FieldFaults } from '../field-faults.ts'

/** Rows whose value is one of these, or is none of them. */
export type MetricFilter = {
  readonly dimension: VisibleDimension
  readonly type: 'include' | 'exclude'
  readonly values: readonly string[]
}

export const filtersMax = 50
export const valuesMax = 1_000
/** Characters of one value: the engine takes 128 KiB for a parameter, in which some are written as two. */
export const valueLengthMax = 20_000

/** The aliases are what real requests say; they stop here. */
export const filterTypes = new Map<unknown, MetricFilter['type']>([
  ['include', 'include'],
  ['exclude', 'exclude'],
  ['inclusive', 'include'],
  ['exclusive', 'exclude'],
  ['1', 'include'],
  ['0', 'exclude'],
  [1, 'include'],
  [0, 'exclude'],
])

/** What the caller may name, by id. */
export type Dimensions = ReadonlyMap<unknown, VisibleDimension>

/** `metric` is null when the request's own is not one of the caller's: the filter is then judged by its id alone. */
export function checkFilters(
  value: unknown,
  dimensions: Dimensions,
  metric: MetricDefinition | null,
  faults: FieldFaults,
): readonly MetricFilter[] {
  if (isAbsent(value)) return []
  if (!Array.isArray(value)) faults.add('filters', messages.type('array'))
  else if (value.length > filtersMax) faults.add('filters', `There may be at most ${filtersMax} filters.`)
  else
    return value.flatMap((item: unknown, index) => checkFilter(item, `filters[${index}]`, dimensions, metric, faults))
  return []
}

function checkFilter(
  item: unknown,
  path: string,
  dimensions: Dimensions,
  metric: MetricDefinition | null,
  faults: FieldFaults,
): MetricFilter[] {
  if (!isObject(item)) {
    faults.add(path, messages.type('object'))
    return []
  }
  faults.addUnexpected(item, ['id', 'filterType', 'filterValues'], path)
  const dimension = checkDimension(item['id'], `${path}[id]`, dimensions, metric, faults)
  const type = filterTypes.get(item['filterType'])
  if (type === undefined) {
    const message = item['filterType'] === undefined ? messages.missing : messages.choice
    faults.add(`${path}[filterType]`, message, () => choiceDetail('', ['include', 'exclude']))
  }
  const values = checkValues(item['filterValues'], `${path}[filterValues]`, dimension, faults)
  return dimension === null || type === undefined ? [] : [{ dimension, type, values }]
}

/** A dimension the caller may name with this metric. What it may not see is answered like what does not exist. */
export function checkDimension(
  id: unknown,
  path: string,
  dimensions: Dimensions,
  metric: MetricDefinition | null,
  faults: FieldFaults,
): VisibleDimension | null {
  const isOffered = (one: VisibleDimension) => metric === null || canBeAskedWith(one, metric)
  const dimension = dimensions.get(id)
  if (dimension !== undefined && isOffered(dimension)) return dimension
  const ids = () => [...dimensions.values()].filter(isOffered).map((one) => one.id)
  const isOfOthers = dimension !== undefined
  const reason = isOfOthers
    ? `${dimension.id} is not a dimension of this metric.`
    : 'No dimension you can use has this id.'
  faults.addChoice(path, id, ids, reason)
  return null
}

/** Numbers, too, where the values of the dimension are; of one that is not known, either. */
function checkValues(
  value: unknown,
  path: string,
  dimension: VisibleDimension | null,
  faults: FieldFaults,
): readonly string[] {
  if (value === undefined) faults.add(path, messages.missing)
  else if (!Array.isArray(value)) faults.add(path, messages.type('array'))
  else if (value.length === 0) faults.add(path, 'There must be at least 1 value.')
  else if (value.length > valuesMax) faults.add(path, `There may be at most ${valuesMax} values.`)
  else {
    const takesNumbers = dimension === null || isNumeric(dimension.source)
    return value.flatMap((item: unknown, index) => {
      if (typeof item === 'number' && Number.isInteger(item) && takesNumbers) return String(item)
      const fault = faultOf(item, takesNumbers)
      if (fault !== null) faults.add(`${path}[${index}]`, fault)
      return typeof item === 'string' ? item : []
    })
  }
  return []
}

function faultOf(value: unknown, takesNumbers: boolean): string | null {
  if (typeof value === 'number' && takesNumbers) return messages.type('integer')
  if (typeof value !== 'string') return messages.type('string')
  return !value.isWellFormed() || value.includes('\0') || isLonger(value, valueLengthMax) ? 'Invalid value' : null
}
