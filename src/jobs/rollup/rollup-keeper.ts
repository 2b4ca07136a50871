import { setTimeout as pause } from 'node:timers/promises'
import { rollupLimits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { buildNext, FailedBuild, noteStored, type RollupStores } from './build-rollups.ts'
import { repeat } from '../repeat.ts'

/** Between two builds, which take seconds. */
const restMs = 250

/**
 * Keeps the sums of long ranges up with results and timelines. Every copy of the service has a keeper; one of them at a time
 * works, a quarter of one panel and test at a time, and another one may take over between two of these.
 */
export function keepRollups(stores: Omit<RollupStores, 'signal'>, observe: Observe): { close: () => Promise<void> } {
  const ending = new AbortController()
  const parts = { ...stores, signal: ending.signal }
  const keeping = repeat(
    async () => {
      let notedAt = -Infinity
      for (;;) {
        // Builds may go on for hours, and what is late or in doubt must not wait for them.
        if (performance.now() - notedAt > rollupLimits.noteMs) {
          if (!(await noteStored(parts))) return
          notedAt = performance.now()
        }
        const startedAt = performance.now()
        const turn = await buildNext(parts)
        // Others wait for their turn: an operator's command, another copy.
        await pause(restMs)
        if (turn.outcome === 'spoiled') continue
        if (turn.outcome !== 'built') return
        const { test, panel, first, last } = turn.build
        const milliseconds = performance.now() - startedAt
        observe({ kind: 'rollup-built', test, panel, days: last - first + 1, milliseconds })
      }
    },
    rollupLimits.noteMs,
    (error) => {
      if (ending.signal.aborted) return
      const whose = error instanceof FailedBuild ? { test: error.build.test, panel: error.build.panel } : {}
      observe({ kind: 'store-error', store: 'rollups', error, ...whose })
    },
  )
  return {
    close: async () => {
      // The first time over years of results takes long; a stop does not wait for it.
      ending.abort()
      await keeping.close()
      await stores.clickhouse.close()
    },
  }
}
