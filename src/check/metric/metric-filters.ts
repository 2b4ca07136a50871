import type { MetricDefinition } from '../../catalog/define-metric.ts'
import { isNumeric } from '../../catalog/dimensions.ts'
import { isAllowedWith, type VisibleDimension } from '../../catalog/visible.ts'
import { choiceDetail } from '../choices.ts'
import { isAbsent, isObject, isLonger, messages, type FieldFaults } from '../field-faults.ts'

/** Keeps the rows whose value is in the list (`include`), or all other rows (`exclude`). */
export type MetricFilter = {
  readonly dimension: VisibleDimension
  readonly type: 'include' | 'exclude'
  readonly values: readonly string[]
}

export const filtersMax = 50
export const valuesMax = 1_000
/**
 * Maximum length of a filter value. ClickHouse accepts at most 128 KiB for a parameter, a character can have four bytes, and
 * some characters are escaped as two.
 */
export const valueLengthMax = 20_000

/** The API accepts these aliases because existing clients send them. Other code uses only `include` and `exclude`. */
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

/** The dimensions that the caller may use, by id. */
export type Dimensions = ReadonlyMap<unknown, VisibleDimension>

/** `metric` is null if the request has no valid metric. Dimensions are then checked by their id only. */
export function checkFilters(
  value: unknown,
  dimensions: Dimensions,
  metric: MetricDefinition | null,
  faults: FieldFaults,
  path = 'filters',
): readonly MetricFilter[] {
  if (isAbsent(value)) return []
  if (!Array.isArray(value)) faults.add(path, messages.type('array'))
  else if (value.length > filtersMax) faults.add(path, `There may be at most ${filtersMax} filters.`)
  else
    return value.flatMap((item: unknown, index) => checkFilter(item, `${path}[${index}]`, dimensions, metric, faults))
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

/**
 * Returns the dimension if the caller may use it with this metric. A dimension that the caller may not see gets the same fault
 * as an unknown one.
 */
export function checkDimension(
  id: unknown,
  path: string,
  dimensions: Dimensions,
  metric: MetricDefinition | null,
  faults: FieldFaults,
): VisibleDimension | null {
  const isUsable = (one: VisibleDimension) => metric === null || isAllowedWith(one, metric)
  const dimension = dimensions.get(id)
  if (dimension !== undefined && isUsable(dimension)) return dimension
  const ids = () => [...dimensions.values()].filter(isUsable).map((one) => one.id)
  const isOfAnotherMetric = dimension !== undefined
  const reason = isOfAnotherMetric
    ? `${dimension.id} is not a dimension of this metric.`
    : 'No dimension you can use has this id.'
  faults.addChoice(path, id, ids, reason)
  return null
}

/** Accepts strings, and for numeric dimensions also numbers. For an unknown dimension (null) it accepts both. */
export function checkValues(
  value: unknown,
  path: string,
  dimension: VisibleDimension | null,
  faults: FieldFaults,
  pathOf = (index: number): string => `${path}[${index}]`,
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
      if (fault !== null) faults.add(pathOf(index), fault)
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
