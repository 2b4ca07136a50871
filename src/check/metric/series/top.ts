import { pointFields } from '../../../catalog/point-fields.ts'
import type { VisibleDimension } from '../../../catalog/visible.ts'
import type { Compare } from '../compare.ts'
import { isAbsent, isObject, messages, type FieldFaults } from '../../field-faults.ts'
import { directions } from '../point-selection.ts'

/**
 * Keeps the series with the largest values, or with the smallest ones. A series is ranked by one number of its total over the
 * whole range: `by` is the name of a field, or of a percentile such as `percentiles.95`.
 */
export type Top = {
  readonly n: number
  readonly by: string
  readonly direction: (typeof directions)[number]
  /** True if the response has one more series, of all other results. */
  readonly others: boolean
}

export const topMax = 1_000

type Body = Readonly<Record<string, unknown>>

/** The fields of a request that `top` has to fit. */
type Request = {
  readonly splits: readonly VisibleDimension[]
  readonly normalised: boolean
  readonly emptyBuckets?: true
  readonly include: readonly string[]
  readonly compare?: Compare
}

/** `numbers` are the names of the numbers of the points of the request. */
export function checkTop(
  body: Body,
  request: Request,
  numbers: () => readonly string[],
  faults: FieldFaults,
): { readonly top?: Top } {
  const value = body['top']
  if (isAbsent(value)) return {}
  if (!isObject(value)) {
    faults.add('top', messages.type('object'))
    return {}
  }
  faults.addUnexpected(value, ['n', 'by', 'direction', 'others'], 'top')
  if (body['chartType'] === 'raw')
    faults.add('top', 'Only aggregated points can have this; use the chart type "aggregate".')
  else if (request.splits.length === 0) faults.add('top', 'Only a request with splits has series.')
  if (request.compare?.base.kind === 'split') {
    faults.add('top', 'A request that compares with one series of a split cannot have this.')
  }
  const n = checkCount(value['n'], faults)
  const by = checkBy(value['by'], numbers, faults)
  const given = isAbsent(value['direction']) ? 'desc' : value['direction']
  const direction = directions.find((one) => one === given)
  if (direction === undefined) faults.addChoice('top[direction]', given, () => directions)
  const others = checkOthers(value['others'], request, faults)
  return n === null || by === null || direction === undefined ? {} : { top: { n, by, direction, others } }
}

function checkCount(value: unknown, faults: FieldFaults): number | null {
  if (isAbsent(value)) faults.add('top[n]', messages.missing)
  else if (typeof value !== 'number' || !Number.isInteger(value)) faults.add('top[n]', messages.type('integer'))
  else if (value >= 1 && value <= topMax) return value
  else faults.add('top[n]', `This value should be between 1 and ${topMax}.`)
  return null
}

const fields: readonly string[] = pointFields

function checkBy(value: unknown, numbers: () => readonly string[], faults: FieldFaults): string | null {
  const by = isAbsent(value) ? 'metricValue' : value
  const choices = numbers().filter((name) => fields.includes(name) || name.startsWith('percentiles.'))
  if (typeof by === 'string' && choices.includes(by)) return by
  faults.addChoice('top[by]', by, () => choices, 'Series of this request cannot be ranked by this.')
  return null
}

/**
 * Which hours of the week the other results can be from depends on the series that are kept, which are known only after the
 * query. So nothing that depends on these hours can be computed for the other results.
 */
function checkOthers(value: unknown, request: Request, faults: FieldFaults): boolean {
  const others = isAbsent(value) ? true : value
  if (typeof others !== 'boolean') faults.add('top[others]', messages.type('bool'))
  const isByClock = request.splits.some(({ source }) => source.kind === 'clock')
  const needsHours = request.normalised || request.emptyBuckets === true || request.include.includes('coverage')
  if (others === true && isByClock && needsHours) {
    const message = 'With a split by local time, "normalised", "emptyBuckets" and "coverage" need "others": false.'
    faults.add('top[others]', message)
  }
  return others === true
}
