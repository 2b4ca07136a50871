import type { Readable } from 'node:stream'
import type { QueryMeter } from '../../../base/audit.ts'

/** Time the engine has taken for a stream, without what it waited for a slow caller. Known when the stream has closed. */
export function meterTime(meter: QueryMeter, rows: Readable, startedAt: number): void {
  let waitedMs = 0
  let pausedAt: number | null = null
  const goOn = () => {
    if (pausedAt !== null) waitedMs += performance.now() - pausedAt
    pausedAt = null
  }
  rows.on('pause', () => {
    pausedAt = performance.now()
    rows.once('data', goOn)
  })
  rows.once('close', () => {
    goOn()
    meter.engineMs = performance.now() - startedAt - waitedMs
  })
}
