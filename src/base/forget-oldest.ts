/** Sessions have tokens too, so callers are many over time; of each a few dozen bytes are kept. */
const callersMax = 100_000

/** Keeps what is known of callers within bounds: whoever came first goes first, and is new when they come again. */
export function forgetOldest<Key>(known: Map<Key, unknown>): void {
  if (known.size <= callersMax) return
  const [oldest] = known.keys()
  if (oldest !== undefined) known.delete(oldest)
}
