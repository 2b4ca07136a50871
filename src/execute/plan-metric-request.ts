import type { AuditRange } from '../base/audit.ts'
import type { Scope } from '../base/caller.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { TestDefinition } from '../catalog/define-test.ts'
import type { Panel } from '../catalog/grants.ts'
import { visibleTo } from '../catalog/visible.ts'
import { FieldFaults, isAbsent, isObject } from '../check/field-faults.ts'
import { baseFilters } from '../check/metric/compare.ts'
import { checkMetricRequest } from '../check/metric/metric-request.ts'
import { checkedRange } from '../check/metric/periods.ts'
import { plannedCompare } from '../compile/metric/comparison/planned-compare.ts'
import { localRange, metricPlan, type MetricPlan } from '../compile/metric/metric-plan.ts'
import { traced } from '../engine/tracing.ts'
import { findZoneNumbers } from '../engine/postgres/values/find-zone-numbers.ts'
import { readGrants } from '../engine/postgres/access/read-grants.ts'
import type { Stores } from '../engine/stores.ts'
import { findWholePeriods } from './find-whole-periods.ts'
import { resolveFilters } from './resolve-filters.ts'

/**
 * `range` is recorded in the audit trail. `readable` contains all panels that the caller can read, including panels that the
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
    const { keepDays } = catalog.tests.find(({ key }) => key === request.metric.test) ?? {}
    const [filters, filtersOfBase, whole] = await Promise.all([
      resolveFilters(stores, request.filters, faults),
      resolveFilters(stores, baseFilters(request.compare), faults, 'compare[filters]'),
      findWholePeriods(scope, postgres, { ...request, keepDays: keepDays ?? null }, zones, now),
    ])
    faults.throwIfAny()
    const readable = grants.panels.map(({ id }) => id)
    const ranged = { ...request, ...checkedRange(request, whole) }
    const compare =
      request.compare === undefined
        ? null
        : plannedCompare(request.compare, { ...ranged, asked: request }, filtersOfBase)
    const planned = metricPlan(ranged, catalog, zones, filters, grants.erased, compare)
    const plan = { ...planned, ...(whole === null ? {} : { whole }) }
    const isNamed = isObject(body) && !isAbsent(body['panel'])
    const pooled = isNamed || plan.aggregation === null ? [] : grants.panels
    return {
      ...plan,
      ...(keepDays === undefined ? {} : { keepDays }),
      range: localRange(plan),
      ...(compare?.base.kind === 'time' ? { baseRange: localRange(compare.base.range) } : {}),
      readable,
      pooled,
    }
  })
}
