/** Logarithms of k!, extended as needed. */
const logFactorials = [0]

function logFactorial(k: number): number {
  for (let next = logFactorials.length; next <= k; next += 1) {
    logFactorials.push((logFactorials[next - 1] ?? NaN) + Math.log(next))
  }
  return logFactorials[k] ?? NaN
}

/** P(B = k) for the number B of successes in n trials. */
function probability(k: number, n: number, p: number): number {
  if (p === 0 || p === 1) return k === n * p ? 1 : 0
  const ways = logFactorial(n) - logFactorial(k) - logFactorial(n - k)
  return Math.exp(ways + k * Math.log(p) + (n - k) * Math.log1p(-p))
}

/** P(B ≤ k), summed term by term. */
function atMost(k: number, n: number, p: number): number {
  let total = 0
  for (let successes = 0; successes <= k; successes += 1) total += probability(successes, n, p)
  return total
}

/** The smallest k with P(B ≤ k) ≥ share. */
export function binomialQuantile(share: number, n: number, p: number): number {
  let total = 0
  for (let k = 0; k < n; k += 1) {
    total += probability(k, n, p)
    if (total >= share) return k
  }
  return n
}

/** The p at which `isAbove` changes from false to true. */
function changeOf(isAbove: (p: number) => boolean): number {
  let [low, high] = [0, 1]
  for (let round = 0; round < 60; round += 1) {
    const middle = (low + high) / 2
    if (isAbove(middle)) high = middle
    else low = middle
  }
  return (low + high) / 2
}

/** Clopper and Pearson's limits: the shares at which k or more, and k or fewer, have the probability `tail`. */
export const shareLimits = (k: number, n: number, tail: number): [number, number] => [
  k === 0 ? 0 : changeOf((p) => 1 - atMost(k - 1, n, p) >= tail),
  k === n ? 1 : changeOf((p) => atMost(k, n, p) <= tail),
]
