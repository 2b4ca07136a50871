import { evictOldest } from '../base/evict-oldest.ts'
import { tooManyRequests } from '../base/fault.ts'
import type { GuessLimit } from '../base/quotas.ts'

/** Wrong links that a network may ask for at once: an office in which several bookmarks have expired. */
const burst = 60
const perSecond = 1

/**
 * Limits requests for links that do not work, per network, with a token bucket in the memory of each instance. A secret has
 * 178 random bits, so the limit is no protection of the secrets; it keeps guesses from taking look-ups in PostgreSQL.
 */
export function limitLinkGuesses(now: () => number = () => performance.now()): GuessLimit {
  const buckets = new Map<string, { spent: number; at: number }>()
  const spentBy = (network: string): number => {
    const { spent, at } = buckets.get(network) ?? { spent: 0, at: 0 }
    return Math.max(0, spent - ((now() - at) / 1_000) * perSecond)
  }
  return {
    refusal: (network) => {
      const excess = spentBy(network) + 1 - burst
      if (excess <= 0) return null
      return tooManyRequests({
        what: 'requests for links that do not work',
        limit: burst,
        retryMs: (excess / perSecond) * 1_000,
        detail: `wrong links asked for by ${network}`,
      })
    },
    count: (network) => {
      const spent = spentBy(network) + 1
      // The oldest entry is then the one that was not used for the longest time.
      buckets.delete(network)
      buckets.set(network, { spent, at: now() })
      evictOldest(buckets)
    },
  }
}
