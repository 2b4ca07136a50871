/**
 * Maximum number of callers whose state an instance holds in memory. Each entry takes a few dozen bytes. Every session has its
 * own API token, so the number of callers grows with every sign-in.
 */
const callersMax = 100_000

/**
 * Limits the size of a map with one state per caller: removes the oldest entry if there are too many. If a removed caller
 * sends another request, its state starts empty.
 */
export function evictOldest<Key>(known: Map<Key, unknown>): void {
  if (known.size <= callersMax) return
  const [oldest] = known.keys()
  if (oldest !== undefined) known.delete(oldest)
}
