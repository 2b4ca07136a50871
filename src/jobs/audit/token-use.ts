import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { noteTokenUse } from '../../engine/postgres/access/authenticate.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { keepFlushing } from '../repeat.ts'

export type TokenUse = { note: (tokenId: number) => void; close: () => Promise<void> }

/** Remembers which tokens were used and writes them down together, so that a request costs no write. */
export function trackTokenUse(postgres: Postgres, observe: Observe): TokenUse {
  const used = new Set<number>()
  const flush = async () => {
    const tokenIds = [...used]
    if (tokenIds.length === 0) return
    used.clear()
    try {
      await noteTokenUse(postgres, tokenIds, Temporal.Now.instant())
    } catch (error) {
      for (const tokenId of tokenIds) used.add(tokenId) // with the next flush, when the store is back
      throw error
    }
  }
  const close = keepFlushing(flush, limits.tokenUseFlushMs, (error) =>
    observe({ kind: 'store-error', store: 'PostgreSQL', error }),
  )
  return { note: (tokenId) => used.add(tokenId), close }
}
