import { rollDice } from '../../test/faults/dice.ts'

/** Random numbers of several distributions. The same seed gives the same numbers. */
export type Random = {
  uniform: () => number
  normal: () => number
  /** A log-normal number with a mean of 1. */
  logNormal: (sigma: number) => number
  poisson: (mean: number) => number
}

const range = 2 ** 32
/** From this mean on, the normal approximation of a Poisson number is used. */
const largeMean = 60

export function seededRandom(seed: number): Random {
  const dice = rollDice(seed)
  const uniform = (): number => (dice.between(0, range - 1) + 0.5) / range
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
  return {
    uniform,
    normal,
    logNormal: (sigma) => Math.exp(sigma * normal() - sigma ** 2 / 2),
    poisson: (mean) =>
      mean > largeMean ? Math.max(0, Math.round(mean + Math.sqrt(mean) * normal())) : smallPoisson(mean, uniform),
  }
}

/** Multiplies uniform numbers until their product is below e⁻ᵐᵉᵃⁿ. */
function smallPoisson(mean: number, uniform: () => number): number {
  const least = Math.exp(-mean)
  let count = 0
  for (let product = uniform(); product > least; product *= uniform()) count += 1
  return count
}
