/** Random numbers that a seed brings back. */
export type Dice = {
  readonly seed: number
  /** A whole number; both ends may come. */
  readonly between: (least: number, most: number) => number
  readonly pick: <Item>(items: readonly Item[]) => Item
  /** Dice of their own for somebody who runs at the same time. */
  readonly fork: (number: number) => Dice
}

/** The seed is BROADGAUGE_TEST_SEED, or another one every time; a test prints it. */
export const newSeed = (): number => Number(process.env['BROADGAUGE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 32))

export function rollDice(seed: number): Dice {
  let state = seed >>> 0
  // mulberry32: small, and good enough for choosing moments.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  return {
    seed,
    between,
    pick: <Item>(items: readonly Item[]): Item => items[between(0, items.length - 1)] as Item,
    fork: (number) => rollDice(seed + Math.imul(number + 1, 0x9e3779b1)),
  }
}
