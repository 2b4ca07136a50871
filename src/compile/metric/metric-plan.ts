import { sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { MetricDefinition } from '../../catalog/define-metric.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { percentOfPlan } from '../../catalog/measure.ts'
import type { AgentLocal } from '../../check/metric/agent-local-time.ts'
import type { MetricRequest } from '../../check/metric/metric-request.ts'
import type { LocalRange } from '../../check/metric/periods.ts'
import type { TotalSet } from '../../check/metric/series/totals.ts'
import type { PlannedCompare } from './comparison/planned-compare.ts'
import type { ResolvedFilter } from './filter-condition.ts'
import type { RowPage } from './page/keyset.ts'
import type { RolledDays } from '../rollup/rolled-days.ts'
import { type Zone, zoneOffsets, type ZoneOffsets } from './clock/zone-offsets.ts'
import type { AuditRange } from '../../base/audit.ts'
import type { Days } from '../../check/metric/test-date.ts'

/** A checked request after all look-ups. It is plain data, so compiling it needs no store. */
export type MetricPlan = Omit<MetricRequest, 'filters' | 'compare' | 'metrics'> & {
  readonly test: TestDefinition
  readonly filters: readonly ResolvedFilter[]
  readonly offsets: ZoneOffsets
  /** Numbers of the agents that are being erased. Their results are excluded. */
  readonly erased: readonly number[]
  /**
   * Excludes results that are stored at or after this time. Exports set it, because several attempts can write the same file
   * and must write the same rows.
   */
  readonly storedBefore?: Temporal.Instant
  /** The page of raw points that the query selects. If absent, it selects all. */
  readonly page?: RowPage
  /** The days that are read from rollups. If absent, the query reads every day from results. */
  readonly rolled?: RolledDays
  /**
   * The part of the range that consists of whole periods which have ended. Points outside it are partial. Absent for
   * aggregations whose points are not periods.
   */
  readonly whole?: LocalRange
  /** The first local second of which the service still keeps all results. There are no empty buckets before it. */
  readonly keptFrom?: AgentLocal
  readonly compare?: PlannedCompare
  /**
   * Present if the request has `metrics`: the plan of each metric, as if it were the only one. The plan that contains them is
   * that of the first metric.
   */
  readonly each?: readonly MetricPlan[]
  /** Present if the request has `totals`: the plans of those totals that are not among its points. */
  readonly totalPlans?: readonly { readonly set: TotalSet; readonly plan: MetricPlan }[]
}

/** The plans of the metrics of a request. */
export const plansOf = (plan: MetricPlan): readonly MetricPlan[] => plan.each ?? [plan]

/** Returns the plan with a change of what all its metrics have in common. */
export const changedPlan = <Plan extends MetricPlan>(
  plan: Plan,
  change: Partial<Omit<MetricPlan, 'metric' | 'test' | 'each' | 'totalPlans'>>,
): Plan => ({
  ...plan,
  ...change,
  ...(plan.each === undefined ? {} : { each: plan.each.map((one) => ({ ...one, ...change })) }),
  ...(plan.totalPlans === undefined
    ? {}
    : { totalPlans: plan.totalPlans.map((one) => ({ ...one, plan: changedPlan(one.plan, change) })) }),
})

/** The plans of everything that a request needs: its points and its totals, for each metric. */
export const everyPlanOf = (plan: MetricPlan): readonly MetricPlan[] => [
  ...plansOf(plan),
  ...(plan.totalPlans ?? []).flatMap((one) => plansOf(one.plan)),
]

/** Larger than the largest offset from UTC that any time zone has ever had. */
const widestOffsetSeconds = 26 * 3_600

/** The largest 32-bit UNIX time. Results cannot have a later time. */
const lastSecond = 4_294_967_295

export function metricPlan(
  { metrics: _metrics, ...request }: Omit<MetricRequest, 'compare'>,
  { tests }: Catalog,
  zones: readonly Zone[],
  filters: readonly ResolvedFilter[],
  erased: readonly number[] = [],
  compare: PlannedCompare | null = null,
): MetricPlan {
  const test = tests.find(({ key }) => key === request.metric.test)
  if (test === undefined) throw new Error(`metric ${request.metric.key} is of a test that is not there`)
  const { from, to } = clamped(request)
  const base = compare?.base.kind === 'time' ? { ...compare.base, range: clamped(compare.base.range) } : compare?.base
  const ranges = [{ from, to }, ...(base?.kind === 'time' ? [base.range] : [])]
  const first = Math.min(...ranges.map((range) => range.from)) - widestOffsetSeconds
  const last = Math.max(...ranges.map((range) => range.to)) + widestOffsetSeconds
  const offsets = zoneOffsets(zones, first, last)
  return {
    ...request,
    metric: relativeMetric(request),
    test,
    filters,
    offsets,
    erased,
    from,
    to,
    ...(compare === null || base === undefined ? {} : { compare: { ...compare, base } }),
  }
}

const clamped = ({ from, to }: LocalRange): LocalRange => ({
  from: Math.min(Math.max(from, 0), lastSecond),
  to: Math.min(Math.max(to, 0), lastSecond),
})

/** The metric of the request; its values are percentages of `plan_speed` if the request asks for them. */
function relativeMetric({ metric, relativeTo }: Pick<MetricRequest, 'metric' | 'relativeTo'>): MetricDefinition {
  if (relativeTo === undefined || metric.measure.kind !== 'value') return metric
  // `plan_speed` is 0 if the plan is not known. The expression must not divide by zero, although no statistic uses the values
  // of these rows.
  return { ...metric, unit: '%', measure: percentOfPlan(metric.measure.integer, sql`greatest(plan_speed, 1)`) }
}

/** The time range of a metric request, in the local time of the agents. */
export const localRange = ({ from, to }: Pick<MetricPlan, 'from' | 'to'>): AuditRange => ({
  clock: 'agent-local',
  from: wallClock(from),
  to: wallClock(to),
})

/** The time range of a request for test records: whole UTC days. */
export const dayRange = ({ first, last }: Days): AuditRange => ({
  clock: 'utc',
  from: `${first.toString()}T00:00:00`,
  to: `${last.toString()}T23:59:59`,
})

const wallClock = (seconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toString({ smallestUnit: 'second' })
    .replace('Z', '')
