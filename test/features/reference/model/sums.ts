/** Neumaier's sum: what rounding takes away is kept and given back. */
export function sum(values: Iterable<number>): number {
  let total = 0
  let lost = 0
  for (const value of values) {
    const next = total + value
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total
    total = next
  }
  return total + lost
}

/** Σ w·x / Σ w. */
export const weightedMean = (values: readonly number[], weights: readonly number[]): number =>
  sum(values.map((value, index) => value * (weights[index] ?? 0))) / sum(weights)

/** Stored numbers are whole, and no unit divides them by more than this. */
const parts = 1e6

/**
 * √(Σ w·(x − μ)² / Σ w) in two passes, the second one corrected for what the first rounded off the mean. Differences of
 * values that are whole millionths are made whole ones again: 10000.000008 is none as a floating-point number, and what it
 * lacks is 1e-7 of its difference to 10000.
 */
export function weightedDeviation(values: readonly number[], weights: readonly number[], areParts: boolean): number {
  // About a value of its own first: near 1e9 the mean itself cannot be written down to 1e-9 of the deviation.
  const origin = values[0] ?? 0
  const shifted = values.map((value) => (areParts ? Math.round((value - origin) * parts) / parts : value - origin))
  const mean = weightedMean(shifted, weights)
  const total = sum(weights)
  const squares = sum(shifted.map((value, index) => (weights[index] ?? 0) * (value - mean) ** 2))
  const drift = sum(shifted.map((value, index) => (weights[index] ?? 0) * (value - mean)))
  return Math.sqrt(Math.max(0, squares - (drift * drift) / total) / total)
}
