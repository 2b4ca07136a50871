import type { Catalog } from '../../catalog/catalog.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { MetricRequest } from '../../check/metric/metric-request.ts'
import type { ResolvedFilter } from './filter-condition.ts'
import type { RolledDays } from '../rollup/rolled-days.ts'
import { type Zone, zoneOffsets, type ZoneOffsets } from './zone-offsets.ts'
import type { AuditRange } from '../../base/audit.ts'
import type { Days } from '../../check/metric/test-date.ts'

/** A checked request with everything looked up that its statement needs. Plain data: from here on nothing is asked. */
export type MetricPlan = Omit<MetricRequest, 'filters'> & {
  readonly test: TestDefinition
  readonly filters: readonly ResolvedFilter[]
  readonly offsets: ZoneOffsets
  /** Numbers of agents that are left out. */
  readonly erased: readonly number[]
  /** Results stored from then on are left out; for exports, which may be written more than once. */
  readonly storedBefore?: Temporal.Instant
  /** Days that are answered from sums; without it every day is answered from results. */
  readonly rolled?: RolledDays
}

/** More than any zone has ever been away from UTC. */
const widestOffsetSeconds = 26 * 3_600

/** What the engine's 32-bit seconds can hold; a range beyond it holds no results. */
const lastSecond = 4_294_967_295

export function metricPlan(
  request: MetricRequest,
  { tests }: Catalog,
  zones: readonly Zone[],
  filters: readonly ResolvedFilter[],
  erased: readonly number[] = [],
): MetricPlan {
  const test = tests.find(({ key }) => key === request.metric.test)
  if (test === undefined) throw new Error(`metric ${request.metric.key} is of a test that is not there`)
  const from = Math.min(Math.max(request.from, 0), lastSecond)
  const to = Math.min(Math.max(request.to, 0), lastSecond)
  const offsets = zoneOffsets(zones, from - widestOffsetSeconds, to + widestOffsetSeconds)
  return { ...request, test, filters, offsets, erased, from, to }
}

/** What a metric request asks for, on the agents' own clocks. */
export const localRange = ({ from, to }: Pick<MetricPlan, 'from' | 'to'>): AuditRange => ({
  clock: 'agent-local',
  from: wallClock(from),
  to: wallClock(to),
})

/** What a request for records asks for: whole UTC days. */
export const dayRange = ({ first, last }: Days): AuditRange => ({
  clock: 'utc',
  from: `${first.toString()}T00:00:00`,
  to: `${last.toString()}T23:59:59`,
})

const wallClock = (seconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toString({ smallestUnit: 'second' })
    .replace('Z', '')
