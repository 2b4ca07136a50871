import { hoursOfDay, weekdays, type LocalWindow } from '../../catalog/local-window.ts'
import type { VisibleDimension } from '../../catalog/visible.ts'
import { choiceDetail } from '../choices.ts'
import { faultsMax, isAbsent, isObject, messages, type FieldFaults } from '../field-faults.ts'
import { baseFilters, type Base, type Compare } from './compare.ts'
import { leavesOf, mapLeaves, type FilterLeaf, type MetricFilter } from './filters/filter-tree.ts'

/** Returns null if the request has no window. */
export function checkWindow(value: unknown, faults: FieldFaults): LocalWindow | null {
  if (isAbsent(value)) return null
  if (!isObject(value)) {
    faults.add('window', messages.type('object'))
    return null
  }
  faults.addUnexpected(value, ['weekdays', 'hours'], 'window')
  if (isAbsent(value['weekdays']) && isAbsent(value['hours'])) {
    faults.add('window', 'This object should contain weekdays or hours.')
  }
  return {
    weekdays: checkNumbers(value['weekdays'], 'window[weekdays]', weekdays, faults),
    hours: checkNumbers(value['hours'], 'window[hours]', hoursOfDay, faults),
  }
}

/** Returns the listed choices in ascending order, or null if the request has no list or its value is not a list. */
function checkNumbers(
  value: unknown,
  path: string,
  choices: readonly number[],
  faults: FieldFaults,
): readonly number[] | null {
  if (isAbsent(value)) return null
  if (!Array.isArray(value)) {
    faults.add(path, messages.type('array'))
    return null
  }
  if (value.length === 0) faults.add(path, 'There must be at least 1 value.')
  const seen = new Set<unknown>()
  // A body can contain many thousand items, but a response lists at most `faultsMax` faults.
  for (const [index, item] of value.slice(0, faultsMax).entries()) {
    const place = `${path}[${index}]`
    if (!Number.isInteger(item)) faults.add(place, messages.type('integer'))
    else if (!choices.includes(item)) faults.add(place, messages.choice, () => choiceDetail('', choices.map(String)))
    else if (seen.has(item)) faults.add(place, 'This value is repeated.')
    seen.add(item)
  }
  return choices.filter((one) => value.includes(one))
}

type Asked = {
  readonly splits: readonly VisibleDimension[]
  readonly filters: readonly MetricFilter[]
  readonly compare?: Compare
}

/**
 * A window defines what `peak` is if the request splits or filters by `peak`. Otherwise only results inside the window count.
 */
export function applyWindow<Request extends Asked>(
  request: Request,
  window: LocalWindow | null,
  faults: FieldFaults,
): Request & { readonly window?: LocalWindow } {
  if (window === null) return request
  const { splits, filters, compare } = request
  if (![...splits, ...leavesOf(filters).map(({ dimension }) => dimension)].some(isPeak)) {
    // If a filter of the base made the window define `peak`, the points themselves would contain other hours.
    if (leavesOf(baseFilters(compare)).some(({ dimension }) => isPeak(dimension))) {
      const message = 'With "window", only a request that splits or filters by "peak" can have a base with this filter.'
      faults.add('compare[filters]', message)
    }
    return { ...request, window }
  }
  const defined = (dimension: VisibleDimension): VisibleDimension =>
    isPeak(dimension) ? { ...dimension, source: { kind: 'clock', element: 'peak', window } } : dimension
  const withPeak = (leaf: FilterLeaf): FilterLeaf => ({ ...leaf, dimension: defined(leaf.dimension) })
  return {
    ...request,
    splits: splits.map(defined),
    filters: filters.map((filter) => mapLeaves(filter, withPeak)),
    ...(compare === undefined ? {} : { compare: { ...compare, base: withFilters(compare.base, withPeak) } }),
  }
}

function withFilters(base: Base, change: (leaf: FilterLeaf) => FilterLeaf): Base {
  if (base.kind === 'filters') return { ...base, filters: base.filters.map((filter) => mapLeaves(filter, change)) }
  return base.kind === 'split' ? { ...base, filter: change(base.filter) } : base
}

const isPeak = ({ source }: VisibleDimension): boolean => source.kind === 'clock' && source.element === 'peak'
