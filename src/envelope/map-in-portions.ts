/** Number of items that are mapped before other requests are served. */
const portion = 500

/** Maps a list as `list.map` does, but serves other requests after each portion. A list can have a hundred thousand points. */
export async function mapInPortions<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for (const [index, item] of items.entries()) {
    if (index % portion === portion - 1) await new Promise((resolve) => setImmediate(resolve))
    results.push(map(item, index))
  }
  return results
}
