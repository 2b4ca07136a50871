import { setTimeout as sleep } from 'node:timers/promises'
import { exportLimits } from '../../base/limits.ts'
import { claimExport } from '../../engine/postgres/exports/export-jobs.ts'
import { repeat } from '../repeat.ts'
import type { ExportStores } from './export-stores.ts'
import { runExport } from './run-export.ts'
import { sweepExports } from './sweep-exports.ts'

export type ExportWorker = {
  /** There is something new. */
  readonly poke: () => void
  /** Lets what is running finish for `drainMs`, and gives the rest back. */
  readonly close: (drainMs?: number) => Promise<void>
}

export type WorkerOptions = { readonly atOnceMax: number; readonly perOrganisationMax: number }

/** Writes exports, several at once, and sweeps up after all of them. Any number of workers share the queue. */
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
