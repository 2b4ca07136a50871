/**
 * True if a response counts for an attack. If the service refuses a request with 403 or 429, the request tests nothing
 * behind that check.
 */
export const isCounted = (status: number): boolean => status !== 403 && status !== 429

type Attempts<Item> = {
  /** How many responses must count. */
  readonly wanted: number
  readonly atOnce: number
  /** The next attempts. `made` is the number of attempts so far, `missing` how many still have to count. */
  readonly next: (made: number, missing: number) => readonly Item[]
  /** Makes one attempt. Returns true if the response counts. */
  readonly attack: (item: Item, index: number) => Promise<boolean>
}

/** Makes attempts until `wanted` of them count. Returns how many count. */
export async function untilCounted<Item>({ wanted, atOnce, next, attack }: Attempts<Item>): Promise<number> {
  let made = 0
  let counted = 0
  while (counted < wanted) {
    // Without this limit, the loop would never end if the service refuses every request.
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
