import type { Dice } from '../../../faults/dice.ts'

export const chance = (dice: Dice, percent: number): boolean => dice.between(1, 1000) <= percent * 10

/** One of the odd values now and then, else the ordinary one. */
export const oddly = <Item>(dice: Dice, percent: number, odd: readonly Item[], ordinary: Item): Item =>
  chance(dice, percent) ? dice.pick(odd) : ordinary

/** Around a middle: most near it, a few at many times of it. */
export const around = (dice: Dice, middle: number): number =>
  Math.round((middle * dice.between(1, 100) * dice.between(20, 180)) / 5000)
