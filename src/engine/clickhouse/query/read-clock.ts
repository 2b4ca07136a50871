import { limits } from '../../../base/limits.ts'
import { mapStoreErrors, type ClickHouse } from '../clickhouse.ts'

/**
 * Maximum difference between clocks. Even a loaded machine responds within half a second, so a larger difference means that a
 * clock is wrong. `doctor` reports it.
 */
export const clockDifferenceMaxMs = 2_000

/**
 * Returns a time that is later than the `ingested_at` of every stored row. The nodes set `ingested_at` by their own clocks, so
 * this is the latest time of all nodes, rounded up to the next millisecond. The clock of the service could be behind and
 * exclude rows that were just stored.
 */
export async function readClock({ nodes }: ClickHouse): Promise<Temporal.Instant> {
  return mapStoreErrors(async () => {
    const asked = await Promise.allSettled(
      nodes.map(async (node) => {
        const result = await node.query({
          query: 'SELECT toUnixTimestamp64Milli(now64(3)) + 1 AS at',
          format: 'JSONEachRow',
          // A node that does not respond must not delay the others.
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
