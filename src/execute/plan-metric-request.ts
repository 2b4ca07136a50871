import type { AuditRange } from '../base/audit.ts'
import type { Scope } from '../base/caller.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { MetricDefinition } from '../catalog/define-metric.ts'
import type { TestDefinition } from '../catalog/define-test.ts'
import type { Panel } from '../catalog/grants.ts'
import { visibleTo } from '../catalog/visible.ts'
import { FieldFaults, isAbsent, isObject } from '../check/field-faults.ts'
import { baseFilters } from '../check/metric/compare.ts'
import { checkMetricRequest } from '../check/metric/metric-request.ts'
import { checkedRange, type LocalRange } from '../check/metric/periods.ts'
import { totalPlansOf } from '../compile/metric/answer/totals.ts'
import { plannedCompare } from '../compile/metric/comparison/planned-compare.ts'
import { localRange, metricPlan, type MetricPlan } from '../compile/metric/metric-plan.ts'
import { dayNumber, firstKeptDay } from '../compile/metric/retention.ts'
import { traced } from '../engine/tracing.ts'
import { findZoneNumbers } from '../engine/postgres/values/find-zone-numbers.ts'
import { readGrants } from '../engine/postgres/access/read-grants.ts'
import type { Stores } from '../engine/stores.ts'
import { findWholePeriods } from './find-whole-periods.ts'
import { resolveFilters } from './resolve-filters.ts'

/**
 * `range` is recorded in the audit trail. `keepDays` is the shortest retention of the tests that the request needs. `readable` contains all panels that the caller can read, including panels that the
 * request does not ask for. `pooled` contains the panels whose results are pooled although the request does not name them.
 */
export type PlannedRequest = MetricPlan &
  Pick<TestDefinition, 'keepDays'> & {
    readonly range: AuditRange
    /** The range of the base of a comparison, if the base is another range. */
    readonly baseRange?: AuditRange
    readonly readable: readonly number[]
    readonly pooled: readonly Panel[]
  }

const keepDaysOf = ({ tests }: Catalog, metric: MetricDefinition): number | undefined =>
  tests.find(({ key }) => key === metric.test)?.keepDays

/** The shortest retention, or undefined if the results of all tests are kept forever. */
function shortestOf(days: readonly (number | undefined)[]): number | undefined {
  const known = days.filter((one) => one !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** With `wholePeriods`, metrics of tests with different retentions can have different ranges. */
const rangeOfAll = (each: readonly LocalRange[]): LocalRange => ({
  from: Math.min(...each.map(({ from }) => from)),
  to: Math.max(...each.map(({ to }) => to)),
})

/** JSON responses, export files and `broadgauge explain` all use this plan. */
export async function planMetricRequest(
  scope: Scope,
  stores: Pick<Stores, 'postgres' | 'lookups'>,
  catalog: Catalog,
  body: unknown,
  now: Temporal.Instant,
  faults: FieldFaults = new FieldFaults(),
): Promise<PlannedRequest> {
  return traced('plan', 'internal', {}, async () => {
    const { postgres } = stores
    const [grants, zones] = await Promise.all([readGrants(scope, postgres), findZoneNumbers(postgres)])
    const request = checkMetricRequest(body, visibleTo(grants, catalog), grants.panels, now, faults)
    const { metric: first, metrics = [first] } = request
    const [filters, filtersOfBase, wholes] = await Promise.all([
      resolveFilters(stores, request.filters, faults),
      resolveFilters(stores, baseFilters(request.compare), faults, 'compare[filters]'),
      Promise.all(
        metrics.map((metric) => {
          const keepDays = keepDaysOf(catalog, metric)
          return findWholePeriods(scope, postgres, { ...request, keepDays: keepDays ?? null }, zones, now)
        }),
      ),
    ])
    faults.throwIfAny()
    const planOf = (metric: MetricDefinition, whole: LocalRange | null) => {
      const ranged = { ...request, metric, ...checkedRange(request, whole) }
      const compare =
        request.compare === undefined
          ? null
          : plannedCompare(request.compare, { ...ranged, asked: request }, filtersOfBase)
      const planned = metricPlan(ranged, catalog, zones, filters, grants.erased, compare)
      const keepDays = keepDaysOf(catalog, metric)
      const plan = {
        ...planned,
        ...(whole === null ? {} : { whole }),
        ...(keepDays === undefined ? {} : { keptFrom: firstKeptDay(keepDays, dayNumber(now)) * 86_400 }),
      }
      return { compare, plan }
    }
    const planned = metrics.map((metric, index) => planOf(metric, wholes[index] ?? null))
    const [{ plan, compare } = planOf(first, null)] = planned
    const each = planned.map((one): MetricPlan => one.plan)
    const isNamed = isObject(body) && !isAbsent(body['panel'])
    const keepDays = shortestOf(each.map(({ test }) => test.keepDays))
    const ofAll = { ...plan, ...(request.metrics === undefined ? {} : { each }) }
    return {
      ...ofAll,
      ...(request.totals === undefined ? {} : { totalPlans: totalPlansOf(ofAll) }),
      ...(keepDays === undefined ? {} : { keepDays }),
      range: localRange(rangeOfAll(each)),
      ...(compare?.base.kind === 'time' ? { baseRange: localRange(compare.base.range) } : {}),
      readable: grants.panels.map(({ id }) => id),
      pooled: isNamed || plan.aggregation === null ? [] : grants.panels,
    }
  })
}
