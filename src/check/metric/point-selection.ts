import { limits } from '../../base/limits.ts'
import { checkNumber, isAbsent, isObject, messages, onlyOneOf, type FieldFaults } from '../field-faults.ts'

export const boundForms = ['atLeast', 'above', 'atMost', 'below'] as const
export type BoundForm = (typeof boundForms)[number]

/** A condition on a number of a point, in the unit of the number. A point without this number does not meet it. */
type PointCondition = { readonly field: string; readonly is: BoundForm; readonly value: number }

export const directions = ['asc', 'desc'] as const

/** `by` names a split, the period, or a number of the points. Points without a value come last in both directions. */
type PointOrder = { readonly by: string; readonly direction: (typeof directions)[number] }

/** Which of the computed points the response contains, and in which order. Raw points have only a `limit`. */
export type PointSelection = {
  /** A point must meet all conditions. */
  readonly having?: readonly PointCondition[]
  readonly order?: readonly PointOrder[]
  readonly limit?: number
}

export const conditionsMax = 20
export const ordersMax = 10

export const selectionFields = ['having', 'order', 'limit'] as const

type Body = Readonly<Record<string, unknown>>

/** What points have depends on the rest of the request: `numbers` for conditions, `orderable` for the order. */
type Names = { readonly numbers: readonly string[]; readonly orderable: readonly string[] }

export function checkPointSelection(body: Body, names: () => Names, faults: FieldFaults): PointSelection {
  // The route takes the cursor out of a request for a page.
  if (!isAbsent(body['after'])) faults.add('after', 'Only a response has pages.')
  const given = selectionFields.filter((name) => !isAbsent(body[name]))
  if (given.length === 0) return {}
  if (body['chartType'] === 'raw') {
    for (const name of given.filter((one) => one !== 'limit')) {
      faults.add(name, 'Only aggregated points can have this; use the chart type "aggregate".')
    }
    return limited(checkLimit(body['limit'], faults))
  }
  const { numbers, orderable } = names()
  const having = checkList(body['having'], 'having', conditionsMax, faults, (item, path) =>
    checkCondition(item, path, numbers, faults),
  )
  const order = checkList(body['order'], 'order', ordersMax, faults, (item, path) =>
    checkOrder(item, path, orderable, faults),
  )
  return {
    ...(having === null ? {} : { having }),
    ...(order === null ? {} : { order }),
    ...limited(checkLimit(body['limit'], faults)),
  }
}

function checkList<Item>(
  value: unknown,
  name: string,
  countMax: number,
  faults: FieldFaults,
  checkItem: (item: Body, path: string) => Item | null,
): readonly Item[] | null {
  if (isAbsent(value)) return null
  if (!Array.isArray(value)) faults.add(name, messages.type('array'))
  else if (value.length === 0 || value.length > countMax) {
    faults.add(name, `This list should contain from 1 to ${countMax} objects.`)
  } else {
    return value.flatMap((item: unknown, index) => {
      const path = `${name}[${index}]`
      if (isObject(item)) return checkItem(item, path) ?? []
      faults.add(path, messages.type('object'))
      return []
    })
  }
  return null
}

function checkCondition(
  item: Body,
  path: string,
  numbers: readonly string[],
  faults: FieldFaults,
): PointCondition | null {
  faults.addUnexpected(item, ['field', ...boundForms], path)
  const field = checkName(
    item['field'],
    `${path}[field]`,
    numbers,
    'Points of this request have no such number.',
    faults,
  )
  const is = onlyOneOf(boundForms, item, path, faults)
  const value = is === null ? null : checkNumber(item[is], `${path}[${is}]`, faults)
  return field === null || is === null || value === null ? null : { field, is, value }
}

function checkOrder(item: Body, path: string, orderable: readonly string[], faults: FieldFaults): PointOrder | null {
  faults.addUnexpected(item, ['by', 'direction'], path)
  const reason = 'Points of this request cannot be ordered by this.'
  const by = checkName(item['by'], `${path}[by]`, orderable, reason, faults)
  const given = isAbsent(item['direction']) ? 'asc' : item['direction']
  const direction = directions.find((one) => one === given)
  if (direction === undefined) faults.addChoice(`${path}[direction]`, given, () => directions)
  return by === null || direction === undefined ? null : { by, direction }
}

function checkName(
  value: unknown,
  path: string,
  names: readonly string[],
  reason: string,
  faults: FieldFaults,
): string | null {
  if (typeof value === 'string' && names.includes(value)) return value
  faults.addChoice(path, value, () => names, reason)
  return null
}

const limited = (limit: number | null): Pick<PointSelection, 'limit'> => (limit === null ? {} : { limit })

export function checkLimit(value: unknown, faults: FieldFaults): number | null {
  if (isAbsent(value)) return null
  if (typeof value !== 'number' || !Number.isInteger(value)) faults.add('limit', messages.type('integer'))
  else if (value >= 1 && value <= limits.pointsMax) return value
  else faults.add('limit', `This value should be between 1 and ${limits.pointsMax}.`)
  return null
}
