import type { Scope } from '../base/caller.ts'
import type { MetricRequest } from '../check/metric/metric-request.ts'
import { isChronological, wholePeriods, type LocalRange } from '../check/metric/periods.ts'
import { dayNumber, firstKeptDay } from '../compile/metric/retention.ts'
import { offsetAt, type Zone } from '../compile/metric/clock/zone-offsets.ts'
import { findZonesInUse } from '../engine/postgres/values/find-zones-in-use.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'

type Asked = Pick<MetricRequest, 'aggregation' | 'from' | 'to' | 'panels'> & {
  /** The number of days for which the service keeps the results of the test; null if it keeps them forever. */
  readonly keepDays: number | null
}

/** The offsets from UTC of the zones that are furthest west and east, in seconds. */
const westernmost = -12 * 3_600
const easternmost = 14 * 3_600

/**
 * Returns the part of the range that consists of whole periods which have ended for every agent of the panels, or null if the
 * points are not periods. A period that ends within the hours around now has ended in some time zones and not in others. Only
 * if the range has a period like this, the function asks PostgreSQL for the time zones of the agents.
 */
export async function findWholePeriods(
  scope: Scope,
  postgres: Postgres,
  { aggregation, from, to, panels, keepDays }: Asked,
  zones: readonly Zone[],
  now: Temporal.Instant,
): Promise<LocalRange | null> {
  if (aggregation === null || !isChronological(aggregation)) return null
  // A period is not whole either if the service no longer keeps the results of some of its days.
  const range = { from: Math.max(from, firstKeptDay(keepDays, dayNumber(now)) * 86_400), to }
  const second = Math.floor(now.epochMilliseconds / 1000)
  const endedAt = (offset: number) => wholePeriods(aggregation, range, second + offset)
  const [everywhere, somewhere] = [endedAt(westernmost), endedAt(easternmost)]
  if (everywhere.to === somewhere.to) return everywhere
  const used = new Set(await findZonesInUse(scope, postgres, panels))
  const offsets = zones.filter(({ id }) => used.has(id)).map(({ name }) => offsetAt(name, now) ?? westernmost)
  // Agents without a time zone use UTC. If the panels have no agents, the periods end in UTC.
  const inUtc = used.has(0) || offsets.length === 0 ? [0] : []
  return endedAt(Math.min(...offsets, ...inUtc))
}
