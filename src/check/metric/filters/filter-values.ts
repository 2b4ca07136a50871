import { isNumeric } from '../../../catalog/dimensions.ts'
import { isNumberFilter, isPresenceFilter, type FilterType } from '../../../catalog/filter-types.ts'
import type { VisibleDimension } from '../../../catalog/visible.ts'
import { isAbsent, isLonger, messages, type FieldFaults } from '../../field-faults.ts'

export const valuesMax = 1_000
/**
 * Maximum length of a filter value. ClickHouse accepts at most 128 KiB for a parameter, a character can have four bytes, and
 * some characters are escaped as two.
 */
export const valueLengthMax = 20_000
export const patternLengthMax = 200

/** The decimal notation of a number. ClickHouse and JavaScript read it alike. A value in another notation is no number. */
export const decimalNumber = String.raw`^-?[0-9]+(\.[0-9]+)?$`

/** Checks the values of a filter. `type` is null if the request has no valid type. */
export function checkFilterValues(
  value: unknown,
  path: string,
  dimension: VisibleDimension | null,
  type: FilterType | null,
  faults: FieldFaults,
): readonly string[] {
  if (type !== null && isPresenceFilter(type)) {
    if (!isAbsent(value)) faults.add(path, messages.unexpected)
    return []
  }
  if (type !== null && isNumberFilter(type)) return checkBound(value, path, faults)
  const values = checkValues(value, path, dimension, faults)
  if (type === 'matches') {
    values.forEach((pattern, index) => {
      if (isLonger(pattern, patternLengthMax))
        faults.add(`${path}[${index}]`, `A pattern may have at most ${patternLengthMax} characters.`)
    })
  }
  return values
}

function checkBound(value: unknown, path: string, faults: FieldFaults): readonly string[] {
  if (value === undefined) faults.add(path, messages.missing)
  else if (!Array.isArray(value)) faults.add(path, messages.type('array'))
  else if (value.length !== 1) faults.add(path, 'There must be exactly 1 value.')
  else {
    const [bound]: unknown[] = value
    const isNumber = typeof bound === 'number' || (typeof bound === 'string' && new RegExp(decimalNumber).test(bound))
    if (isNumber && Number.isFinite(Number(bound))) return [String(bound)]
    faults.add(`${path}[0]`, messages.type('number'))
  }
  return []
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
