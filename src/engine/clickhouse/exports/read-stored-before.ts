import { newMeter, type QueryOrigin } from '../../../base/audit.ts'
import type { Scope } from '../../../base/caller.ts'
import { storeAway } from '../../../base/fault.ts'
import { limits } from '../../../base/limits.ts'
import { statement } from '../../../base/sql.ts'
import { findLatestSince } from '../../../compile/metric/pinned.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { findPoints } from '../query/find-points.ts'
import { readClock } from '../query/read-clock.ts'

/** What is to be read. */
type Subject = { readonly test: string; readonly panels: readonly number[] }

/**
 * A moment after everything of a test that has been stored so far. The engine's clock alone does not tell: where it was set
 * back, results that have long been acknowledged bear times to come.
 */
export async function readStoredBefore(
  scope: Scope,
  clickhouse: ClickHouse,
  { test, panels }: Subject,
  asked: Pick<QueryOrigin, 'endpoint' | 'requestId'>,
): Promise<Temporal.Instant> {
  const clock = await readClock(clickhouse)
  const query = statement(findLatestSince(clickhouse.database, test, panels, clock))
  const signal = AbortSignal.timeout(limits.lookupTimeoutMs)
  const origin = { ...asked, panels, meter: newMeter(), signal }
  const rows = await findPoints<[number | string]>(scope, clickhouse, query, origin).catch((error: unknown) => {
    // Ours, not the caller's.
    throw signal.aborted ? storeAway('ClickHouse', error) : error
  })
  const latest = Number(rows[0]?.[0] ?? 0)
  return Temporal.Instant.fromEpochMilliseconds(Math.max(clock.epochMilliseconds, latest + 1))
}
