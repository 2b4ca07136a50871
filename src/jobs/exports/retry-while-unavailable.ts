import { setTimeout as sleep } from 'node:timers/promises'
import { isUnavailable } from '../../base/fault.ts'
import { exportLimits } from '../../base/limits.ts'

/**
 * Retries `ask` until PostgreSQL is available. If PostgreSQL is unavailable after an hour of writing, the file must not be
 * lost. No other worker can take over the export during the outage. After the outage, PostgreSQL decides which worker owns the
 * export.
 */
export async function retryWhileUnavailable<Result>(ask: () => Promise<Result>, ending: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isUnavailable(error) || ending.aborted) throw error
    }
    await sleep(exportLimits.pollMs)
  }
}
