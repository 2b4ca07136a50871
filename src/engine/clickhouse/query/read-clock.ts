import { limits } from '../../../base/limits.ts'
import { speaking, type ClickHouse } from '../clickhouse.ts'

/** Half a second is what a loaded machine takes to answer; a clock that differs by more is wrong, and `doctor` tells of it. */
export const clockDifferenceMaxMs = 2_000

/**
 * A moment after everything that has been stored so far, by the clocks that stamp what is stored: the latest of all nodes,
 * and the end of its millisecond. Our own clock could be behind theirs, and leave out what was stored just now.
 */
export async function readClock({ nodes }: ClickHouse): Promise<Temporal.Instant> {
  return speaking(async () => {
    const asked = await Promise.allSettled(
      nodes.map(async (node) => {
        const result = await node.query({
          query: 'SELECT toUnixTimestamp64Milli(now64(3)) + 1 AS at',
          format: 'JSONEachRow',
          // One that hangs must not hold up the others.
          abort_signal: AbortSignal.timeout(limits.lookupTimeoutMs),
        })
        const [row] = await result.json<{ at: number }>()
        return Number(row?.at)
      }),
    )
    const times = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const [failure] = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    if (times.length === 0) throw failure
    return Temporal.Instant.fromEpochMilliseconds(
      Math.max(...times) + (failure === undefined ? 0 : clockDifferenceMaxMs),
    )
  })
}
