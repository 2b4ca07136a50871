import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { recordTokenUse } from '../../engine/postgres/access/authenticate.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { flushRegularly } from '../repeat.ts'

export type TokenUse = { note: (tokenId: number) => void; close: () => Promise<void> }

/** Collects the ids of used tokens and writes them in batches, so that a request does not need its own write. */
export function trackTokenUse(postgres: Postgres, observe: Observe): TokenUse {
  const used = new Set<number>()
  const flush = async () => {
    const tokenIds = [...used]
    if (tokenIds.length === 0) return
    used.clear()
    try {
      await recordTokenUse(postgres, tokenIds, Temporal.Now.instant())
    } catch (error) {
      for (const tokenId of tokenIds) used.add(tokenId) // the next flush tries again
      throw error
    }
  }
  const close = flushRegularly(flush, limits.tokenUseFlushMs, (error) =>
    observe({ kind: 'store-error', store: 'PostgreSQL', error }),
  )
  return { note: (tokenId) => used.add(tokenId), close }
}
