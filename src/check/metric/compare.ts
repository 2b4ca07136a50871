import { aggregations, type Aggregation } from '../../catalog/aggregations.ts'
import type { MetricDefinition } from '../../catalog/define-metric.ts'
import type { VisibleDimension } from '../../catalog/visible.ts'
import { choiceDetail } from '../choices.ts'
import { checkNumber, isAbsent, isObject, messages, onlyOneOf, type FieldFaults } from '../field-faults.ts'
import { leavesOf, type FilterLeaf, type MetricFilter } from './filters/filter-tree.ts'
import { checkValues } from './filters/filter-values.ts'
import { checkFilters, type Dimensions } from './filters/metric-filters.ts'
import { isChronological, type LocalRange } from './periods.ts'
import { checkTimeRange } from './time-range.ts'

/** What the points of a request are compared with. */
export type Base =
  /** The range of the same length immediately before the range of the request. */
  | { readonly kind: 'previous' }
  | ({ readonly kind: 'time' } & LocalRange)
  /** The results that match these filters instead of the filters of the request. */
  | { readonly kind: 'filters'; readonly filters: readonly MetricFilter[] }
  /** The series with this value of a split. */
  | { readonly kind: 'split'; readonly filter: FilterLeaf }

/**
 * A difference inside the margin is too small to matter. The margin is in the unit of the values, or in percent of the base.
 */
export type Margin = { readonly in: 'unit' | 'percent'; readonly value: number }

export type Compare = {
  readonly base: Base
  readonly margin?: Margin
  readonly alpha: number
  /** Present if the comparison counts only agents that are on both of its sides. */
  readonly match?: 'agents'
}

export const alphaDefault = 0.05
export const alphaMin = 0.0001
export const alphaMax = 0.4

export const baseForms = ['previous', 'time', 'filters', 'split'] as const

type Body = Readonly<Record<string, unknown>>

/** The fields of a request that `compare` has to fit. A field is null if it has faults. */
type Request = {
  readonly metrics: readonly MetricDefinition[]
  readonly aggregation: Aggregation | null
  readonly range: LocalRange | null
  readonly splits: readonly VisibleDimension[]
  readonly filters: readonly MetricFilter[]
}

export function checkCompare(
  body: Body,
  request: Request,
  dimensions: Dimensions,
  now: Temporal.Instant,
  faults: FieldFaults,
): { readonly compare?: Compare } {
  const value = body['compare']
  if (isAbsent(value)) return {}
  if (!isObject(value)) {
    faults.add('compare', messages.type('object'))
    return {}
  }
  faults.addUnexpected(value, [...baseForms, 'base', 'margin', 'marginPercent', 'alpha', 'match'], 'compare')
  if (body['chartType'] === 'raw') {
    faults.add('compare', 'Raw points have no statistics; use the chart type "aggregate".')
  }
  const base = checkBase(value, request, dimensions, now, faults)
  const margin = checkMargin(value, faults)
  const alpha = checkNumber(value['alpha'] ?? alphaDefault, 'compare[alpha]', faults) ?? alphaDefault
  if (alpha < alphaMin || alpha > alphaMax) {
    faults.add('compare[alpha]', `This value should be between ${alphaMin} and ${alphaMax}.`)
  }
  const match = checkMatch(value, body, faults)
  if (base === null) return {}
  checkFit(base, request, body, faults)
  return { compare: { base, alpha, ...(margin === null ? {} : { margin }), ...match } }
}

function checkBase(
  value: Body,
  { metrics, splits }: Request,
  dimensions: Dimensions,
  now: Temporal.Instant,
  faults: FieldFaults,
): Base | null {
  const form = onlyOneOf(baseForms, value, 'compare', faults)
  if (form === null) return null
  if (form !== 'split' && !isAbsent(value['base'])) faults.add('compare[base]', 'Only "split" has a base.')
  if (form === 'previous') {
    if (value['previous'] !== true) faults.add('compare[previous]', 'This value should be true.')
    return { kind: 'previous' }
  }
  if (form === 'time') {
    const range = checkTimeRange(value['time'], 'compare[time]', now, faults)
    return range === null ? null : { kind: 'time', ...range }
  }
  if (form === 'filters') {
    const filters = checkFilters(value['filters'], dimensions, metrics, faults, 'compare[filters]')
    return { kind: 'filters', filters }
  }
  const dimension = splits.find(({ id }) => id === value['split'])
  if (dimension === undefined) {
    faults.addChoice(
      'compare[split]',
      value['split'],
      () => splits.map(({ id }) => id),
      'The request has no such split.',
    )
  }
  const list = isAbsent(value['base']) ? undefined : [value['base']]
  const values = checkValues(list, 'compare[base]', dimension ?? null, faults, () => 'compare[base]')
  return dimension === undefined
    ? null
    : { kind: 'split', filter: { kind: 'leaf', dimension, type: 'include', values } }
}

function checkMargin(value: Body, faults: FieldFaults): Margin | null {
  if (!isAbsent(value['margin']) && !isAbsent(value['marginPercent'])) {
    faults.add('compare[marginPercent]', 'This object should have at most one of: margin, marginPercent.')
  }
  for (const name of ['margin', 'marginPercent'] as const) {
    const margin = isAbsent(value[name]) ? null : checkNumber(value[name], `compare[${name}]`, faults)
    if (margin === null) continue
    if (margin <= 0) faults.add(`compare[${name}]`, 'This value should be positive.')
    return { in: name === 'margin' ? 'unit' : 'percent', value: margin }
  }
  return null
}

function checkMatch({ match }: Body, body: Body, faults: FieldFaults): Pick<Compare, 'match'> {
  if (isAbsent(match)) return {}
  if (match !== 'agents') faults.addChoice('compare[match]', match, () => ['agents'])
  else if (body['normalised'] === true && isAbsent(body['perAgent']) && body['agent_agg'] !== true) {
    faults.add('compare[match]', 'With "normalised", only a request with "perAgent" can match agents.')
  }
  return { match: 'agents' }
}

/** Adds faults if the base does not fit the rest of the request. */
function checkFit(base: Base, request: Request, body: Body, faults: FieldFaults): void {
  if (base.kind === 'filters') {
    const isByClock = leavesOf([...base.filters, ...request.filters]).some(
      ({ dimension }) => dimension.source.kind === 'clock',
    )
    // The weights of a normalised mean depend on the hours that the filters of the request allow. A base with other hours
    // would get wrong weights.
    if (body['normalised'] === true && isByClock) {
      const message = 'With "normalised", filters by hour, day of the week or peak cannot be compared; use "split".'
      faults.add('compare[filters]', message)
    }
  } else if (base.kind !== 'split') checkPeriods(base, request, body, faults)
}

export const isComparable = (aggregation: Aggregation): boolean =>
  !isChronological(aggregation) || aggregation.key === 'daily' || aggregation.key === 'weekly'

const daySeconds = 86_400

/** Returns how many seconds the base begins before the range of the request. */
export const shiftOf = (base: Extract<Base, { kind: 'previous' | 'time' }>, { from, to }: LocalRange): number =>
  base.kind === 'previous' ? to - from + 1 : from - base.from

/** A day is compared with a day, and a week with a week from Monday to Sunday. */
function checkPeriods(
  base: Extract<Base, { kind: 'previous' | 'time' }>,
  { aggregation, range }: Request,
  body: Body,
  faults: FieldFaults,
): void {
  if (aggregation === null) return
  const path = `compare[${base.kind}]`
  if (!isComparable(aggregation)) {
    const keys = aggregations.filter(isComparable).map(({ key }) => key)
    faults.add(path, 'Periods with this aggregation cannot be compared.', () => choiceDetail('', keys))
  } else if (range !== null && isChronological(aggregation)) {
    const unit = aggregation.key === 'weekly' ? 'weeks' : 'days'
    const isWhole = shiftOf(base, range) % (unit === 'weeks' ? 7 * daySeconds : daySeconds) === 0
    if (base.kind === 'time') {
      if (!isWhole)
        faults.add(path, `This range should begin a whole number of ${unit} before or after that of the request.`)
      if (base.to - base.from !== range.to - range.from) {
        faults.add(path, 'With this aggregation, this range should be as long as that of the request.')
      }
    } else if (!isWhole && body['wholePeriods'] !== true) {
      faults.add(path, `The range of the request should be a whole number of ${unit} long, or "wholePeriods" be true.`)
    }
  }
}

/** The filters of the base of a comparison. */
export const baseFilters = (compare: Compare | undefined): readonly MetricFilter[] => {
  if (compare?.base.kind === 'filters') return compare.base.filters
  return compare?.base.kind === 'split' ? [compare.base.filter] : []
}
