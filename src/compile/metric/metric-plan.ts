import type { Catalog } from '../../catalog/catalog.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { MetricRequest } from '../../check/metric/metric-request.ts'
import type { ResolvedFilter } from './filter-condition.ts'
import type { RolledDays } from '../rollup/rolled-days.ts'
import { zoneOffsets, type Zone, type ZoneOffsets } from './zone-offsets.ts'

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
