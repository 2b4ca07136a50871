import type { Scope } from '../../base/caller.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { visibleTo } from '../../catalog/visible.ts'
import type { FieldFaults } from '../../check/field-faults.ts'
import { checkMetricRequest } from '../../check/metric-request.ts'
import { metricPlan, type MetricPlan } from '../../compile/metric-plan.ts'
import { traced } from '../tracing.ts'
import { findZoneNumbers } from './find-zone-numbers.ts'
import type { Postgres } from './postgres.ts'
import { readGrants } from './read-grants.ts'
import { resolveFilters } from './resolve-filters.ts'

/** A plan, and every panel the caller can read, whichever of them are asked. */
export type PlannedRequest = MetricPlan & { readonly readable: readonly number[] }

/** From the body of a request to its plan: the one road, whether points, a file or an explanation come out of it. */
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
    return { ...metricPlan(request, catalog, zones, filters, grants.erased), readable }
  })
}
