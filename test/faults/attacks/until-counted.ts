/** Whether an answer counts towards the number of an attack: whoever is turned away at the door attacks nothing behind it. */
export const isCounted = (status: number): boolean => status !== 403 && status !== 429

type Attempts<Item> = {
  /** So many have to count. */
  readonly wanted: number
  readonly atOnce: number
  /** The next ones, by how many were made before and how many are missing. */
  readonly next: (made: number, missing: number) => readonly Item[]
  /** Answers whether it counts. */
  readonly attack: (item: Item, index: number) => Promise<boolean>
}

/** Goes on until as many attempts count as are wanted. Answers how many did. */
export async function untilCounted<Item>({ wanted, atOnce, next, attack }: Attempts<Item>): Promise<number> {
  let made = 0
  let counted = 0
  while (counted < wanted) {
    // A service that turns everybody away would be attacked for ever.
    if (made > 20 * wanted + 1_000) throw new Error(`only ${counted} of ${made} attempts count`)
    const items = next(made, wanted - counted)
    const first = made
    const queue = items.entries()
    const worker = async () => {
      for (const [place, item] of queue) if (await attack(item, first + place)) counted += 1
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    made += items.length
  }
  return counted
}
