import { setTimeout as sleep } from 'node:timers/promises'
import { exportLimits } from '../../base/limits.ts'
import { claimExport } from '../../engine/postgres/exports/export-jobs.ts'
import { repeat } from '../repeat.ts'
import type { ExportStores } from './export-stores.ts'
import { runExport } from './run-export.ts'
import { sweepExports } from './sweep-exports.ts'

export type ExportWorker = {
  /** Checks the queue without waiting for the next poll. */
  readonly poke: () => void
  /** Waits up to `drainMs` for running exports to finish, then returns the unfinished ones to the queue. */
  readonly close: (drainMs?: number) => Promise<void>
}

export type WorkerOptions = { readonly atOnceMax: number; readonly perOrganisationMax: number }

/** Writes exports, several at a time, and removes objects that no export needs. Any number of workers can share the queue. */
export function runExports(stores: ExportStores, { atOnceMax, perOrganisationMax }: WorkerOptions): ExportWorker {
  const { postgres, observe } = stores
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const report = (error: unknown) => observe({ kind: 'store-error', store: 'exports', error })
  const closing = new AbortController()
  const claim = async () => {
    while (running.size < atOnceMax && !closing.signal.aborted) {
      const job = await claimExport(postgres, perOrganisationMax)
      if (job === null) return
      const attempt = runExport(stores, job, stopping.signal)
        .catch(report)
        .finally(() => {
          running.delete(attempt)
          claiming.poke()
        })
      running.add(attempt)
    }
  }
  const claiming = repeat(claim, exportLimits.pollMs, report)
  const sweeping = repeat(async () => void (await sweepExports(stores)), exportLimits.sweepMs, report)
  return {
    poke: claiming.poke,
    close: async (drainMs = 0) => {
      closing.abort()
      await Promise.all([claiming.close(), sweeping.close()])
      if (drainMs > 0) await Promise.race([Promise.all(running), sleep(drainMs, null, { ref: false })])
      stopping.abort()
      await Promise.all(running)
    },
  }
}
