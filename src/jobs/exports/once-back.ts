import { setTimeout as sleep } from 'node:timers/promises'
import { isAway } from '../../base/fault.ts'
import { exportLimits } from '../../base/limits.ts'

/**
 * PostgreSQL may be away just when an hour of writing has come to its end. It is asked again until it is back: meanwhile
 * nobody can take the export over either, and afterwards it says whose that is.
 */
export async function onceBack<Result>(ask: () => Promise<Result>, ending: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isAway(error) || ending.aborted) throw error
    }
    await sleep(exportLimits.pollMs)
  }
}
