/**
 * Student's t distribution with any number of degrees of freedom, by numerical integration of its density. The constant of the
 * density cancels out, so no special function is necessary.
 */

/** The logarithm of the density, without its constant. */
const logDensity = (t: number, degrees: number): number => (-(degrees + 1) / 2) * Math.log1p((t * t) / degrees)

const step = 1 / 32
const nodes = Array.from({ length: 4.5 / step + 4.5 / step + 1 }, (_, index) => index * step - 4.5).map((place) => ({
  distance: Math.exp((Math.PI / 2) * Math.sinh(place)),
  weight: step * (Math.PI / 2) * Math.cosh(place),
}))

/** The integral of the density from t to infinity, divided by the density at t. Uses the exp-sinh quadrature. */
function integralFrom(t: number, degrees: number): number {
  // The density falls to a fraction of its value within this distance.
  const reach = Math.min(Math.sqrt((degrees + t * t) / (degrees + 1)), (degrees + t * t) / (degrees + 1) / t)
  const start = logDensity(t, degrees)
  let total = 0
  for (const { distance, weight } of nodes) {
    const at = t + reach * distance
    total += weight * distance * Math.exp(logDensity(at, degrees) - start)
  }
  return reach * total
}

/** P(|T| > t). */
export const twoSided = (t: number, degrees: number): number =>
  (Math.exp(logDensity(t, degrees)) * integralFrom(t, degrees)) / integralFrom(0, degrees)

const known = new Map<string, number>()

/** The t with P(|T| > t) = `tail`, by Newton's method for the logarithm of the tail. */
export function quantileOfTail(tail: number, degrees: number): number {
  const key = `${tail} ${degrees}`
  const found = known.get(key)
  if (found !== undefined) return found
  let t = 1
  for (let round = 0; round < 200; round += 1) {
    // The derivative of the logarithm of the tail is −1 divided by the integral, which is relative to the density.
    const change = Math.log(twoSided(t, degrees) / tail) * integralFrom(t, degrees)
    // A tail falls slower than the tangent says, so a step never goes far beyond the solution.
    t = Math.max(t / 4, Math.min(t * 4, t + change))
    if (Math.abs(change) < 1e-14 * t) break
  }
  known.set(key, t)
  return t
}
