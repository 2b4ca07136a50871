/**
 * P(|T| < t) for Student's t with a whole number of degrees of freedom: the finite series 26.7.3 and 26.7.4 of Abramowitz
 * and Stegun. It is exact, and all its terms are positive.
 */
export function shareWithin(t: number, degrees: number): number {
  const angle = Math.atan(t / Math.sqrt(degrees))
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)]
  const isOdd = degrees % 2 === 1
  let term = isOdd ? cosine : 1
  let total = 0
  for (let power = isOdd ? 1 : 0; power <= degrees - 2; power += 2) {
    total += term
    term *= (cosine * cosine * (power + 1)) / (power + 2)
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * total) : sine * total
}

const known = new Map<string, number>()

/** The t for which P(|T| < t) is `level`, with a whole number of degrees of freedom. Found by bisection and cached. */
function wholeQuantile(level: number, degrees: number): number {
  const key = `${level} ${degrees}`
  const found = known.get(key)
  if (found !== undefined) return found
  let [below, above] = [0, 128]
  for (let round = 0; round < 64; round += 1) {
    const middle = (below + above) / 2
    if (shareWithin(middle, degrees) < level) below = middle
    else above = middle
  }
  known.set(key, above)
  return above
}

/**
 * The two-sided quantile of Student's t: the t for which P(|T| < t) is `level`. Between two whole numbers of degrees of
 * freedom, the quantile is linear in 1/ν.
 */
export function tQuantile(level: number, degrees: number): number {
  const less = Math.floor(degrees)
  const [low, high] = [wholeQuantile(level, less), wholeQuantile(level, less + 1)]
  return low + ((1 / less - 1 / degrees) / (1 / less - 1 / (less + 1))) * (high - low)
}
