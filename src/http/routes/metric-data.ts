import { visibleTo } from '../../catalog/visible.ts'
import { checkMetricRequest } from '../../check/metric-request.ts'
import { checkNoParameters } from '../../check/no-parameters.ts'
import { pointStatement } from '../../compile/aggregate.ts'
import { metricPlan } from '../../compile/metric-plan.ts'
import { findPoints } from '../../engine/clickhouse/find-points.ts'
import { findZoneNumbers } from '../../engine/postgres/find-zone-numbers.ts'
import { readGrants } from '../../engine/postgres/read-grants.ts'
import { resolveFilters } from '../../engine/postgres/resolve-filters.ts'
import { ok } from '../../envelope/envelope.ts'
import { metricSeries } from '../../envelope/metric-points.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute(
  'data',
  'POST',
  '/metric_data',
  'data:read',
  async ({ catalog, stores: { postgres, clickhouse }, now }, caller, { body, query, requestId }) => {
    checkNoParameters(query)
    const grants = await readGrants(caller, postgres)
    const request = checkMetricRequest(body, visibleTo(grants, catalog), grants.panels, now())
    const filters = await resolveFilters(postgres, request.filters)
    const plan = metricPlan(request, catalog, await findZoneNumbers(postgres), filters)
    if (request.aggregation === null) throw new Error('not yet')

    const { columns, statement } = pointStatement(clickhouse.database, plan, request.aggregation)
    const rows = await findPoints(caller, clickhouse, statement, { endpoint: '/metric_data', requestId })
    return ok(
      metricSeries(
        request.splits.map(({ id }) => id),
        columns,
        rows,
      ),
    )
  },
)
