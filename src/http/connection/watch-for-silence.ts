import type { Readable } from 'node:stream'
import { storeAway } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'

/** Ends rows that have stopped coming although somebody waits for them: the engine hangs, or the way to it is broken. */
export function watchForSilence(rows: Readable, limitMs: number = limits.stallTimeoutMs): void {
  const timer = setTimeout(() => {
    // Held up by the caller, who is watched by himself.
    if (rows.isPaused()) timer.refresh()
    else rows.destroy(storeAway('ClickHouse', new Error(`no row for ${limitMs} ms`)))
  }, limitMs)
  const refresh = () => void timer.refresh()
  rows.on('data', refresh).on('resume', refresh)
  rows.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
}
