/** Neumaier's summation: it sums the rounding errors separately and adds them to the result at the end. */
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

/** Every stored number is an integer. The conversion to the unit of a metric divides it by at most this number. */
const parts = 1e6

/**
 * √(Σ w·(x − μ)² / Σ w) in two passes. The second pass corrects the rounding error of the mean.
 * If `areParts` is true, all values are whole millionths, and their differences are rounded to whole millionths. For
 * example, 10000.000008 has no exact floating-point form. Its rounding error is 1e-7 of its difference to 10000.
 */
export function weightedDeviation(values: readonly number[], weights: readonly number[], areParts: boolean): number {
  // Subtract one of the values first. Near 1e9, the rounding error of a mean can be more than 1e-9 of the deviation.
  const origin = values[0] ?? 0
  const shifted = values.map((value) => (areParts ? Math.round((value - origin) * parts) / parts : value - origin))
  const mean = weightedMean(shifted, weights)
  const total = sum(weights)
  const squares = sum(shifted.map((value, index) => (weights[index] ?? 0) * (value - mean) ** 2))
  const drift = sum(shifted.map((value, index) => (weights[index] ?? 0) * (value - mean)))
  return Math.sqrt(Math.max(0, squares - (drift * drift) / total) / total)
}
