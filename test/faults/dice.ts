/** Random numbers that a seed makes reproducible. */
export type Dice = {
  readonly seed: number
  /** An integer from `least` to `most`, both included. */
  readonly between: (least: number, most: number) => number
  readonly pick: <Item>(items: readonly Item[]) => Item
  /** New dice for concurrent work, derived from this seed and `number`. */
  readonly fork: (number: number) => Dice
}

/** The seed is BROADGAUGE_TEST_SEED. Without that variable, every run has a new seed. Tests print the seed. */
export const newSeed = (): number => Number(process.env['BROADGAUGE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 32))

export function rollDice(seed: number): Dice {
  let state = seed >>> 0
  // The generator is mulberry32, which is small and random enough for tests.
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
