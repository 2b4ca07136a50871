import { isDeepStrictEqual } from 'node:util'
import { comparisonScale } from './model/comparison/compared.ts'
import { scale, scaleBefore, type Answer, type Data, type Point, type Scale } from './model/request.ts'

/** The permitted relative difference between computed values. */
const tolerance = 1e-9

/** The first difference of a whole response, or null. Of `meta`, only what the reference has is compared. */
export function answerDifference(
  { data, meta = {} }: Answer,
  actual: { data?: unknown; meta?: unknown },
): string | null {
  const difference = firstDifference(data, actual.data)
  if (difference !== null) return difference
  const given = (actual.meta ?? {}) as Record<string, unknown>
  for (const name of ['totals', 'overall', 'grand'] as const) {
    const differing = meta[name] === undefined ? null : firstDifference(meta[name], given[name])
    if (differing !== null) return `meta.${name}: ${differing}`
  }
  const { points } = meta
  return points === undefined || isDeepStrictEqual(points, given['points'])
    ? null
    : `meta.points: ${text(points)} expected, got ${text(given['points'])}`
}

/**
 * Returns the first difference between a response and the reference, or null. Counts, minimum, maximum, labels, order
 * and text must be equal. Values that are computed from many samples may have a relative difference of 1e-9.
 */
export function firstDifference(expected: Data, actual: unknown): string | null {
  if (!Array.isArray(actual)) return `data is ${JSON.stringify(actual)?.slice(0, 500)}`
  for (const [index, { metricData }] of expected.entries()) {
    const group: unknown = actual[index]
    const points = (group as { metricData?: unknown } | undefined)?.metricData
    const where = `data[${index}].metricData`
    if (!Array.isArray(points)) return `${where}: ${metricData.length} points expected, got ${text(group)}`
    for (const [place, point] of metricData.entries()) {
      const difference = pointDifference(point, points[place])
      if (difference !== null)
        return `${where}[${place}] ${difference}\n  expected ${text(point)}\n  actual   ${text(points[place])}`
    }
    if (points.length > metricData.length)
      return `${where}: ${metricData.length} points expected, got ${points.length}: ${text(points[metricData.length])}`
    if (Object.keys(group as object).length !== 1) return `${where}: more than metricData beside it: ${text(group)}`
  }
  return actual.length === expected.length ? null : `${expected.length} groups expected, got ${actual.length}`
}

const text = (value: unknown): string => JSON.stringify(value)?.slice(0, 900) ?? 'nothing'

function pointDifference(expected: Point, actual: unknown): string | null {
  if (typeof actual !== 'object' || actual === null) return 'is missing'
  const point = actual as Point
  const names = new Set([...Object.keys(expected), ...Object.keys(point)])
  const differing = [...names].find((name) => !agrees(name, expected, point))
  return differing === undefined
    ? null
    : `${differing}: ${text(expected[differing])} expected, got ${text(point[differing])}`
}

function agrees(name: string, expected: Point, actual: Point): boolean {
  if (!(name in expected) || !(name in actual)) return false
  const [right, given] = [expected[name], actual[name]]
  const bounds = scaleOf(expected)
  // All statistics of a point about agents are computed, also the smallest and the largest value.
  if (bounds?.floor !== undefined && typeof given === 'number' && !exactOfAgents.has(name)) {
    return near(right, given, bounds.floor * (name.startsWith('ci') ? widest : 1))
  }
  if (exact.has(name)) return isDeepStrictEqual(right, given)
  if (name === 'histogram') return agreesHistogram(right, given)
  if (name === 'comparison') return agreesComparison(right, given)
  if (name === 'prefilter') return agreesEffect(right, given, expected[scaleBefore] ?? 0)
  // A raw point has one value, which is not computed, so it must be equal.
  if (bounds === null) return right === given
  return near(right, given, floorOf(name, bounds))
}

/** The quantile of the t distribution by which an interval of two agents can be wider than its error. */
const widest = 64

const exact = new Set([
  'sampleCount',
  'agentCount',
  'unitCount',
  'min',
  'max',
  'caution',
  'partial',
  'coverage',
  'removedBy',
  'resultsWithoutPlan',
])

const exactOfAgents = new Set([
  'sampleCount',
  'agentCount',
  'unitCount',
  'agentsBelowMinimum',
  'reachingAgents',
  'resultsWithoutPlan',
])

/** The counts of a histogram must be equal. Logarithmic edges are computed, and may be rounded. */
function agreesHistogram(right: unknown, given: unknown): boolean {
  if (typeof right !== 'object' || typeof given !== 'object' || right === null || given === null) return right === given
  const { edges, ...counts } = right as Point
  const { edges: givenEdges, ...givenCounts } = given as Point
  return isDeepStrictEqual(counts, givenCounts) && near(edges, givenEdges, 0)
}

const exactOfComparison = new Set(['baseAgents', 'sharedAgents', 'verdict', 'better'])

/** Counts and verdicts of a comparison must be equal. A difference is as precise as the values of both sides. */
function agreesComparison(right: unknown, given: unknown): boolean {
  if (typeof right !== 'object' || typeof given !== 'object' || right === null || given === null) return right === given
  const [expected, actual] = [right as Point & { [comparisonScale]?: number }, given as Point]
  const floor = 1e-13 * (expected[comparisonScale] ?? 0)
  const error = expected['standardError']
  const names = Object.keys(expected)
  return (
    Object.keys(actual).length === names.length &&
    names.every((name) => {
      if (exactOfComparison.has(name)) return expected[name] === actual[name]
      const isProbability = name === 'pValue' || name === 'pAdjusted'
      const inError = typeof error === 'number' && error > 0 ? floor / error : 0
      return near(expected[name], actual[name], isProbability ? inError : floorOfComparison(name, floor))
    })
  )
}

const inUnit = new Set(['base', 'difference', 'standardError', 'low', 'high'])
const floorOfComparison = (name: string, floor: number): number => (inUnit.has(name) ? floor : 0)

/** The members of an explained prefilter must be equal, except the value without the prefilter. */
function agreesEffect(right: unknown, given: unknown, greatestBefore: number): boolean {
  if (typeof right !== 'object' || typeof given !== 'object' || right === null || given === null) return false
  const { unfilteredValue: expected, ...exactly } = right as Point
  const { unfilteredValue: actual, ...others } = given as Point
  return isDeepStrictEqual(exactly, others) && near(expected, actual, 1e-13 * greatestBefore)
}

/** True if two values, or all members of two lists or objects, are equal or near each other. */
function near(right: unknown, given: unknown, floor: number): boolean {
  if (typeof right === 'number' && typeof given === 'number') return isNear(right, given, floor)
  if (typeof right !== 'object' || typeof given !== 'object' || right === null || given === null) return right === given
  const members = Object.entries(right)
  return (
    Array.isArray(right) === Array.isArray(given) &&
    Object.keys(given).length === members.length &&
    members.every(([key, value]) => Object.hasOwn(given, key) && near(value, (given as Point)[key], floor))
  )
}

/** The reference gives every point its scale. Points of the service have a scale if they have these fields. */
function scaleOf(point: Point): Scale | null {
  if (point[scale] !== undefined) return point[scale]
  const { min, max, sampleCount } = point
  return typeof sampleCount === 'number' ? { min: Number(min), max: Number(max), sampleCount } : null
}

/** The absolute tolerance of a member, in addition to the relative one. */
function floorOf(name: string, bounds: Scale): number {
  if (bounds.floor !== undefined) return bounds.floor
  if (name === 'metricValue') return 1e-13 * greatest(bounds)
  if (name === 'stdDev' || name === 'standardError' || name.startsWith('ci')) return deviationFloor(name, bounds)
  if (name === 'median' || name.startsWith('percentile')) return percentileFloor(bounds)
  return 0
}

const isNear = (expected: number, actual: number, floor: number): boolean =>
  Math.abs(actual - expected) <= tolerance * Math.abs(expected) + floor

/**
 * The largest absolute value in the point. If positive and negative values cancel out, the rounding error of their sum
 * depends on the largest of them.
 */
const greatest = ({ min, max }: Scale): number => Math.max(Math.abs(min), Math.abs(max))

/**
 * The absolute tolerance of a deviation. It is 0 if the values differ, even if they differ by 1 and are near 1e9. If
 * all values are equal, the exact deviation is 0, but the computed deviation may be a few units in the last place. The
 * same applies to the residuals of equal ratios.
 */
function deviationFloor(name: string, bounds: Scale): number {
  const isSpread = bounds.max - bounds.min > 1e-10 * greatest(bounds)
  return name === 'stdDev' && isSpread ? 0 : 4e-15 * greatest(bounds)
}

/**
 * The absolute tolerance of a percentile. The position between two values is computed in doubles. So the rounding error
 * grows with the number of samples and with the distance between values.
 */
const percentileFloor = ({ min, max, sampleCount }: Scale): number => 1e-15 * sampleCount * (max - min)
