import { limits } from '../../base/limits.ts'
import { isAbsent, isObject, messages, onlyOneOf, type FieldFaults } from '../field-faults.ts'

/** Where the bins of a histogram begin and end. `log` has eight bins for each doubling of the value. */
export type Histogram = { readonly edges: readonly number[] } | { readonly bins: 'log' }

/** How the values of a point are distributed, beyond the statistics of every request. */
export type Distribution = {
  /** In percent, ascending. If absent, points have the default percentiles. */
  readonly percentileLevels?: readonly number[]
  readonly histogram?: Histogram
}

export const percentileLevelsMax = 20
export const edgesMax = 200
export const binChoices = ['log'] as const

/**
 * Maximum number of edges of all points of a response together. A point with 25 edges is about as large as a point with
 * percentiles.
 */
const responseEdgesMax = 2_500_000

/** Returns the maximum number of points of a response. Logarithmic bins can have as many edges as a request can name. */
export function pointsMaxOf({ histogram }: Distribution): number {
  if (histogram === undefined) return limits.pointsMax
  const edges = 'bins' in histogram ? edgesMax : histogram.edges.length
  return Math.min(limits.pointsMax, Math.floor(responseEdgesMax / edges))
}

type Body = Readonly<Record<string, unknown>>

/** `hasPercentiles` says whether the points of the request have `percentiles`. */
export function checkDistribution(body: Body, hasPercentiles: boolean, faults: FieldFaults): Distribution {
  const levels = isAbsent(body['percentileLevels']) ? null : checkLevels(body['percentileLevels'], faults)
  if (levels !== null && !hasPercentiles && body['chartType'] !== 'raw') {
    faults.add('percentileLevels', 'Only a request whose points have "percentiles" can have this field.')
  }
  const histogram = isAbsent(body['histogram']) ? null : checkHistogram(body['histogram'], faults)
  return {
    ...(levels === null ? {} : { percentileLevels: levels }),
    ...(histogram === null ? {} : { histogram }),
  }
}

function checkLevels(value: unknown, faults: FieldFaults): readonly number[] | null {
  const levels = checkNumbers(value, 'percentileLevels', percentileLevelsMax, faults)
  if (levels === null) return null
  for (const [index, level] of levels.entries()) {
    const path = `percentileLevels[${index}]`
    if (level <= 0 || level >= 100) faults.add(path, 'This value should be above 0 and below 100.')
    else if (levels.indexOf(level) < index) faults.add(path, 'This value is repeated.')
  }
  return levels.toSorted((one, other) => one - other)
}

function checkHistogram(value: unknown, faults: FieldFaults): Histogram | null {
  if (!isObject(value)) {
    faults.add('histogram', messages.type('object'))
    return null
  }
  faults.addUnexpected(value, ['edges', 'bins'], 'histogram')
  const given = onlyOneOf(['edges', 'bins'], value, 'histogram', faults)
  if (given === null) return null
  if (given === 'bins') {
    if (value['bins'] === 'log') return { bins: 'log' }
    faults.addChoice('histogram[bins]', value['bins'], () => binChoices)
    return null
  }
  const edges = checkNumbers(value['edges'], 'histogram[edges]', edgesMax, faults)
  for (const [index, edge] of edges?.entries() ?? []) {
    if (edge <= (edges?.[index - 1] ?? -Infinity)) {
      faults.add(`histogram[edges][${index}]`, 'This value should be above the one before it.')
    }
  }
  return edges === null ? null : { edges }
}

/** Checks a list of one to `countMax` numbers. */
function checkNumbers(value: unknown, path: string, countMax: number, faults: FieldFaults): readonly number[] | null {
  if (!Array.isArray(value)) {
    faults.add(path, messages.type('array'))
    return null
  }
  if (value.length === 0 || value.length > countMax) {
    faults.add(path, `This list should contain from 1 to ${countMax} numbers.`)
    return null
  }
  // Adding 0 turns −0 into 0.
  const numbers = value.flatMap((one: unknown) => (typeof one === 'number' && Number.isFinite(one) ? one + 0 : []))
  if (numbers.length === value.length) return numbers
  for (const [index, one] of value.entries()) {
    if (typeof one !== 'number' || !Number.isFinite(one)) faults.add(`${path}[${index}]`, messages.type('number'))
  }
  return null
}
