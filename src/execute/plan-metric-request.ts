import type { AuditRange } from '../base/audit.ts'
import type { Scope } from '../base/caller.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { visibleTo } from '../catalog/visible.ts'
import type { FieldFaults } from '../check/field-faults.ts'
import { checkMetricRequest } from '../check/metric/metric-request.ts'
import { localRange, metricPlan, type MetricPlan } from '../compile/metric/metric-plan.ts'
import { traced } from '../engine/tracing.ts'
import { findZoneNumbers } from '../engine/postgres/values/find-zone-numbers.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { readGrants } from '../engine/postgres/access/read-grants.ts'
import { resolveFilters } from '../engine/postgres/values/resolve-filters.ts'

/** A plan, its time range for the audit trail, and all panels the caller can read, also those it did not ask for. */
export type PlannedRequest = MetricPlan & { readonly range: AuditRange; readonly readable: readonly number[] }

/** Turns the body of a request into its plan. Points, files and `broadgauge explain` all come from this plan. */
export async function planMetricRequest(
  scope: Scope,
  postgres: Postgres,
  catalog: Catalog,
  body: unknown,
  now: Temporal.Instant,
  faults?: FieldFaults,
): Promise<PlannedRequest> {
  return traced('plan', 'internal', {}, async () => {
    const [grants, zones] = await Promise.all([readGrants(scope, postgres), findZoneNumbers(postgres)])
    const request = checkMetricRequest(body, visibleTo(grants, catalog), grants.panels, now, faults)
    const filters = await resolveFilters(postgres, request.filters)
    const readable = grants.panels.map(({ id }) => id)
    const plan = metricPlan(request, catalog, zones, filters, grants.erased)
    return { ...plan, range: localRange(plan), readable }
  })
}
