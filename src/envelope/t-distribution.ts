import { betaFactor, incompleteBeta } from './binomial.ts'

/**
 * P(|T| ≥ t) for Student's distribution. The degrees of freedom need not be a whole number. For a small t, 1 − x would lose
 * digits if it were computed from x.
 */
export function twoSidedTail(t: number, freedom: number): number {
  const square = t * t
  const sum = freedom + square
  return square < 3
    ? 1 - incompleteBeta(square / sum, 0.5, freedom / 2)
    : incompleteBeta(freedom / sum, freedom / 2, 0.5)
}

/** With so many degrees of freedom, the distribution is nearly normal. */
const nearlyNormal = 1e5

/**
 * Below this number of degrees of freedom, a solution begins from a number between the solutions for the two nearest whole
 * numbers.
 */
const tabulatedMax = 200

/** Returns a function from degrees of freedom to the t with P(|T| ≥ t) = tail. */
export function tWithTail(tail: number): (freedom: number) => number {
  const z = solve(tail, nearlyNormal, 1)
  // The first terms of the Cornish-Fisher expansion (Abramowitz and Stegun, 26.7.5).
  const expanded = (freedom: number): number =>
    z + (z ** 3 + z) / 4 / freedom + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96 / freedom ** 2
  const table: number[] = []
  const tabulated = (whole: number): number => (table[whole] ??= solve(tail, whole, expanded(whole)))
  return (freedom) => {
    if (freedom >= tabulatedMax) return solve(tail, freedom, expanded(freedom))
    if (!(freedom >= 1)) throw new Error(`a t distribution with ${freedom} degrees of freedom`)
    const whole = Math.floor(freedom)
    const [low, high] = [tabulated(whole), tabulated(whole + 1)]
    const start = low + ((high - low) * (freedom - whole) * (whole + 1)) / freedom
    return freedom === whole ? low : solve(tail, freedom, start)
  }
}

const stepsMax = 100
/** Maximum factor of one step. Far beyond the solution, the tail of many degrees of freedom is smaller than any number. */
const growthMax = 1.5

/**
 * Newton's method for the logarithm of the tail as a function of the logarithm of t. This function is concave, so the method
 * converges from any start, after at most one step beyond the solution.
 */
function solve(tail: number, freedom: number, start: number): number {
  let t = start
  for (let step = 0; step < stepsMax; step += 1) {
    const found = twoSidedTail(t, freedom)
    const slope = (2 * betaFactor(freedom / (freedom + t * t), freedom / 2, 0.5)) / found
    const next = t * Math.min(Math.exp(Math.log(found / tail) / slope), growthMax)
    // Each step doubles the number of right digits, so the next value is as exact as the tail.
    if (Math.abs(next - t) <= 1e-7 * t) return next
    t = next
  }
  return t
}

/**
 * Holm's adjustment: the probability that any of several true hypotheses is rejected at a level is at most this level. A
 * missing p-value stays missing, and does not count.
 */
export function holm(pValues: readonly (number | null)[]): readonly (number | null)[] {
  const given = pValues.flatMap((p, index) => (p === null ? [] : [{ p, index }]))
  const adjusted: (number | null)[] = pValues.map(() => null)
  let largest = 0
  for (const [rank, { p, index }] of given.toSorted((one, other) => one.p - other.p).entries()) {
    largest = Math.max(largest, Math.min(1, (given.length - rank) * p))
    adjusted[index] = largest
  }
  return adjusted
}
