import type { MetricRequest } from './request.ts'
import type { Weight } from './weights.ts'

export const usualLevels = [1, 5, 10, 20, 25, 50, 75, 80, 90, 95, 99]

/** The percentiles of a point, in percent. They ascend. */
export const levelsOf = ({ percentileLevels = usualLevels }: Pick<MetricRequest, 'percentileLevels'>): number[] =>
  percentileLevels.toSorted((one, other) => one - other)

/** A level has at most six decimals. So it is a whole number of these parts of 1 %. */
const levelParts = 1e6
const wholeLevel = (level: number): number => Math.round(level * levelParts)
/** 100 % in these parts. */
const allParts = 100 * levelParts

/**
 * The percentile of type 7: its position is (n − 1)·p, counted from the smallest value. Type 6, with the position (n +
 * 1)·p − 1, is only for the test of wrong rules.
 */
export function percentile(sorted: readonly number[], level: number, type: 6 | 7 = 7): number {
  const count = sorted.length
  const parts = type === 7 ? (count - 1) * wholeLevel(level) : (count + 1) * wholeLevel(level) - allParts
  const place = Math.min(Math.max(parts, 0), (count - 1) * allParts)
  const below = Math.floor(place / allParts)
  const least = sorted[below] ?? NaN
  const rest = place % allParts
  return rest === 0 ? least : least + (rest / allParts) * ((sorted[below + 1] ?? NaN) - least)
}

/** The precision of the shares is 2⁻⁶⁰, which is much finer than the precision of a double between 0 and 1. */
const shareBits = 60n

/**
 * Weighted percentiles of type 7, computed in integers. In the definition, a, F and C contain fractions of W and n*.
 * Let p be the level in parts, of which 100 % has A. Multiplication by A·W²·Σw² removes these fractions. With N(C) =
 * A·C·W − p·W² + p·Σw², F(C) is N / (A·Σw²), limited to the range from 0 to 1. The levels ascend.
 */
export function weightedPercentiles(
  pairs: readonly { value: number; weight: Weight }[],
  levels: readonly number[],
): number[] {
  const sorted = pairs.toSorted((one, other) => one.value - other.value)
  const whole = wholeWeights(sorted.map(({ weight }) => weight))
  const total = whole.reduce((sum, weight) => sum + weight, 0n)
  const squares = whole.reduce((sum, weight) => sum + weight * weight, 0n)
  const full = BigInt(allParts) * squares
  const cumulated = whole.map(
    (
      (sum: bigint) => (weight: bigint) =>
        (sum += weight)
    )(0n),
  )
  let first = 0
  return levels.map((level) => {
    const parts = BigInt(wholeLevel(level))
    const reachedAt = (index: number): bigint =>
      clamp(BigInt(allParts) * (cumulated[index] ?? 0n) * total + parts * (squares - total * total), full)
    // The levels ascend. So the first value of a level is never before the first value of an earlier level.
    while (reachedAt(first) === 0n) first += 1
    let result = 0
    for (let index = first, reached = 0n; reached < full; index += 1) {
      const now = reachedAt(index)
      result += (sorted[index]?.value ?? NaN) * share(now - reached, full)
      reached = now
    }
    return result
  })
}

const clamp = (number: bigint, most: bigint): bigint => (number < 0n ? 0n : number > most ? most : number)

const share = (part: bigint, full: bigint): number => Number((part << shareBits) / full) / 2 ** Number(shareBits)

/**
 * Returns the weights as integers. A weight is `hours / rows`, multiplied by the least common multiple of all row
 * counts.
 */
function wholeWeights(weights: readonly Weight[]): bigint[] {
  const multiple = [...new Set(weights.map(({ rows }) => BigInt(rows)))].reduce(leastCommonMultiple, 1n)
  return weights.map(({ hours, rows }) => (BigInt(hours) * multiple) / BigInt(rows))
}

const leastCommonMultiple = (one: bigint, other: bigint): bigint => (one / greatestCommonDivisor(one, other)) * other

const greatestCommonDivisor = (one: bigint, other: bigint): bigint =>
  other === 0n ? one : greatestCommonDivisor(other, one % other)
