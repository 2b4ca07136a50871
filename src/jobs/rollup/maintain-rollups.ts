import { setTimeout as pause } from 'node:timers/promises'
import { rollupLimits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { buildNext, FailedBuild, recordStored, type RollupStores } from './build-rollups.ts'
import { repeat } from '../repeat.ts'

/** Pause between two builds. A build takes seconds. */
const restMs = 250

/**
 * Keeps rollups up to date with results and timelines. Every instance runs this job. An advisory lock ensures that only one
 * instance builds at a time. A build covers at most three months of one panel and test. After each build, another instance may
 * take the lock.
 */
export function maintainRollups(
  stores: Omit<RollupStores, 'signal'>,
  observe: Observe,
): { close: () => Promise<void> } {
  const ending = new AbortController()
  const parts = { ...stores, signal: ending.signal }
  const maintaining = repeat(
    async () => {
      let notedAt = -Infinity
      for (;;) {
        // The builds may continue for hours, but late results must be recorded regularly.
        if (performance.now() - notedAt > rollupLimits.recordMs) {
          if (!(await recordStored(parts))) return
          notedAt = performance.now()
        }
        const startedAt = performance.now()
        const turn = await buildNext(parts)
        // During this pause, an operator's command or another instance can take the lock.
        await pause(restMs)
        if (turn.outcome === 'invalidated') continue
        if (turn.outcome !== 'built') return
        const { test, panel, first, last } = turn.build
        const milliseconds = performance.now() - startedAt
        observe({ kind: 'rollup-built', test, panel, days: last - first + 1, milliseconds })
      }
    },
    rollupLimits.recordMs,
    (error) => {
      if (ending.signal.aborted) return
      const whose = error instanceof FailedBuild ? { test: error.build.test, panel: error.build.panel } : {}
      observe({ kind: 'store-error', store: 'rollups', error, ...whose })
    },
  )
  return {
    close: async () => {
      // The first run reads years of results and takes long. Abort it, so that stopping the instance does not wait for it.
      ending.abort()
      await maintaining.close()
      await stores.clickhouse.close()
    },
  }
}
