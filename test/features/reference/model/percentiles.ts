import type { Weight } from './weights.ts'

export const percentileKeys = [1, 5, 10, 20, 25, 50, 75, 80, 90, 95, 99]

/** Type 7: the place is (n − 1)·p, counted from the least value; type 6, for comparison: (n + 1)·p − 1. */
export function percentile(sorted: readonly number[], key: number, type: 6 | 7 = 7): number {
  const count = sorted.length
  const hundredths = type === 7 ? (count - 1) * key : (count + 1) * key - 100
  const place = Math.min(Math.max(hundredths, 0), (count - 1) * 100)
  const below = Math.floor(place / 100)
  const least = sorted[below] ?? NaN
  return place % 100 === 0 ? least : least + ((place % 100) / 100) * ((sorted[below + 1] ?? NaN) - least)
}

/** 2⁻⁶⁰ is far below what a double of a share between 0 and 1 can hold. */
const shareBits = 60n

/**
 * Weighted type 7 in whole numbers: the definition's a, F and C have fractions of W and n* in them, which cancel when all
 * is multiplied by 100·W²·Σw². With N(C) = 100·C·W − key·W² + key·Σw², F(C) is N / (100·Σw²), held between 0 and 1.
 */
export function weightedPercentiles(pairs: readonly { value: number; weight: Weight }[]): number[] {
  const sorted = pairs.toSorted((one, other) => one.value - other.value)
  const whole = wholeWeights(sorted.map(({ weight }) => weight))
  const total = whole.reduce((sum, weight) => sum + weight, 0n)
  const squares = whole.reduce((sum, weight) => sum + weight * weight, 0n)
  const full = 100n * squares
  const cumulated = whole.map(
    (
      (sum: bigint) => (weight: bigint) =>
        (sum += weight)
    )(0n),
  )
  let first = 0
  return percentileKeys.map((key) => {
    const reachedAt = (index: number): bigint =>
      clamp(100n * (cumulated[index] ?? 0n) * total + BigInt(key) * (squares - total * total), full)
    // Keys ascend, and a later one begins no earlier.
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

/** hours / rows over the least common multiple of all the rows. */
function wholeWeights(weights: readonly Weight[]): bigint[] {
  const multiple = [...new Set(weights.map(({ rows }) => BigInt(rows)))].reduce(leastCommonMultiple, 1n)
  return weights.map(({ hours, rows }) => (BigInt(hours) * multiple) / BigInt(rows))
}

const leastCommonMultiple = (one: bigint, other: bigint): bigint => (one / greatestCommonDivisor(one, other)) * other

const greatestCommonDivisor = (one: bigint, other: bigint): bigint =>
  other === 0n ? one : greatestCommonDivisor(other, one % other)
