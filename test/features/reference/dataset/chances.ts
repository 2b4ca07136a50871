import type { Dice } from '../../../faults/dice.ts'

export const chance = (dice: Dice, percent: number): boolean => dice.between(1, 1000) <= percent * 10

/** Returns one of the odd values with a probability of `percent`, and otherwise the ordinary value. */
export const oddly = <Item>(dice: Dice, percent: number, odd: readonly Item[], ordinary: Item): Item =>
  chance(dice, percent) ? dice.pick(odd) : ordinary

/** A random value. The mean is about `middle`, and the maximum is 3.6 times `middle`. */
export const around = (dice: Dice, middle: number): number =>
  Math.round((middle * dice.between(1, 100) * dice.between(20, 180)) / 5000)
