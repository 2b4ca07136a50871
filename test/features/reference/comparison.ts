import type { Data, Point } from './model/request.ts'

/** Relative; what the specification of the test asks for. */
const tolerance = 1e-9

/**
 * The first way in which an answer differs from the reference's, or null. Counts, least and greatest values, labels, order
 * and text are compared exactly, what has been computed over many values within 1e-9 of itself.
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
  // A raw point has one value, which nothing has been computed from.
  if (!('sampleCount' in expected)) return right === given
  if (name === 'percentiles') return percentilesAgree(expected, given)
  if (typeof right !== 'number' || typeof given !== 'number') return right === given
  if (name === 'metricValue') return isNear(right, given, 1e-13 * greatest(expected))
  if (name === 'stdDev' || name.startsWith('ci')) return isNear(right, given, deviationFloor(name, expected))
  if (name === 'median') return isNear(right, given, percentileFloor(expected))
  return right === given
}

function percentilesAgree(expected: Point, actual: unknown): boolean {
  const right = expected['percentiles'] as Record<string, number>
  if (typeof actual !== 'object' || actual === null) return false
  if (Object.keys(actual).length !== Object.keys(right).length) return false
  const given = actual as Record<string, unknown>
  return Object.entries(right).every(([key, value]) => {
    const other = given[key]
    return typeof other === 'number' && isNear(value, other, percentileFloor(expected))
  })
}

const isNear = (expected: number, actual: number, floor: number): boolean =>
  Math.abs(actual - expected) <= tolerance * Math.abs(expected) + floor

const numberOf = (point: Point, name: string): number => Number(point[name])

/** The size of the values themselves: sums that cancel out can be no better than this. */
const greatest = (point: Point): number => Math.max(Math.abs(numberOf(point, 'min')), Math.abs(numberOf(point, 'max')))

/**
 * Where there is a spread worth the name, also one of 1 around 1e9, no excuse. Values that are all the same have none, and
 * a computed one of a few units in their last place passes for none; residuals of equal ratios likewise.
 */
function deviationFloor(name: string, point: Point): number {
  const spread = numberOf(point, 'max') - numberOf(point, 'min')
  return name === 'stdDev' && spread > 1e-10 * greatest(point) ? 0 : 4e-15 * greatest(point)
}

/** Places between values are found in doubles: n of them, and the gap they lie in, bound what that can cost. */
const percentileFloor = (point: Point): number =>
  1e-15 * numberOf(point, 'sampleCount') * (numberOf(point, 'max') - numberOf(point, 'min'))
