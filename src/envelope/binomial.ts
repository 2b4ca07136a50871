/**
 * Returns the regularised incomplete beta function I_x(a, b) for positive a and b. If a and b are whole numbers, this is the
 * probability that at least a of a + b − 1 independent trials succeed, if each trial succeeds with the probability x. The
 * function evaluates a continued fraction (Press et al., Numerical Recipes, 6.4). It computes the factor before the fraction
 * by Loader's saddle-point expansion, which stays exact for millions of trials.
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const factor = betaFactor(x, a, b)
  return x < (a + 1) / (a + b + 2)
    ? (factor * continuedFraction(x, a, b)) / a
    : 1 - (factor * continuedFraction(1 - x, b, a)) / b
}

/** x^a·(1 − x)^b / B(a, b) */
export const betaFactor = (x: number, a: number, b: number): number => {
  const n = a + b
  const exponent =
    stirlingError(n) - stirlingError(a) - stirlingError(b) - deviance(a, n * x) - deviance(b, n * (1 - x))
  return Math.exp(exponent) * Math.sqrt((a * b) / (2 * Math.PI * n))
}

const termsMax = 100_000
const precision = 1e-16
const tiny = 1e-300

/** Lentz's method divides by these numbers. */
const away = (value: number): number => (Math.abs(value) < tiny ? tiny : value)

/** Lentz's method. It converges in O(√max(a, b)) steps. */
function continuedFraction(x: number, a: number, b: number): number {
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let result = d
  for (let m = 1; m <= termsMax; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    result *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    result *= d * c
    if (Math.abs(d * c - 1) <= precision) return result
  }
  return result
}

const smallErrors = [0]
for (let n = 1, logFactorial = 0; n < 16; n += 1) {
  logFactorial += Math.log(n)
  smallErrors.push(logFactorial - (n + 0.5) * Math.log(n) + n - Math.log(2 * Math.PI) / 2)
}

/** log(n!) − log(√(2πn)·(n/e)^n), with Γ(n + 1) for n! if n is not a whole number. */
function stirlingError(n: number): number {
  const small = smallErrors[n]
  if (small !== undefined) return small
  // The series needs a large n.
  if (n < smallErrors.length) return stirlingError(n + 1) + (n + 0.5) * Math.log1p(1 / n) - 1
  const square = n * n
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / n
}

/** k·log(k / mean) + mean − k, without cancellation if k is near the mean. */
function deviance(k: number, mean: number): number {
  const difference = k - mean
  // The series below would never end.
  if (Number.isNaN(difference)) return NaN
  if (Math.abs(difference) >= 0.1 * (k + mean)) return k * Math.log(k / mean) - difference
  const v = difference / (k + mean)
  let sum = difference * v
  let term = 2 * k * v
  for (let odd = 3; ; odd += 2) {
    term *= v * v
    const next = sum + term / odd
    if (next === sum) return sum
    sum = next
  }
}

/** The x with I_x(a, b) = share: bisection, which Newton's method shortens where it stays inside the bracket. */
export function betaQuantile(share: number, a: number, b: number): number {
  let [low, high] = [0, 1]
  let x = a / (a + b)
  for (let step = 0; step < 200 && high - low > 1e-16 * high; step += 1) {
    const excess = incompleteBeta(x, a, b) - share
    if (excess === 0) return x
    if (excess < 0) low = x
    else high = x
    const next = x - (excess * x * (1 - x)) / betaFactor(x, a, b)
    if (Math.abs(next - x) <= 1e-16 * x) return next
    x = next > low && next < high ? next : (low + high) / 2
  }
  return x
}

/** P(B ≤ k) for the number B of successes in n trials. */
const binomialShare = (k: number, n: number, p: number): number =>
  k < 0 ? 0 : k >= n ? 1 : 1 - incompleteBeta(p, k + 1, n - k)

/** The smallest k with P(B ≤ k) ≥ share. */
export function binomialQuantile(share: number, n: number, p: number): number {
  const middle = Math.round(n * p)
  const isBelow = binomialShare(middle, n, p) < share
  let step = 1
  let [low, high] = isBelow ? [middle, n] : [-1, middle]
  // From the middle outwards in doubling steps, then bisection. P(B ≤ low) < share ≤ P(B ≤ high) always holds.
  for (; high - low > 1; step *= 2) {
    const next = isBelow ? Math.min(middle + step, high - 1) : Math.max(middle - step, low + 1)
    const reaches = binomialShare(next, n, p) >= share
    if (reaches) high = next
    else low = next
    if (reaches === isBelow) break
  }
  while (high - low > 1) {
    const next = Math.floor((low + high) / 2)
    if (binomialShare(next, n, p) >= share) high = next
    else low = next
  }
  return high
}
