import { validationFail } from '../../base/fault.ts'
import { messages } from '../../check/field-faults.ts'
import { checkNoParameters } from '../../check/no-parameters.ts'
import { pointStatement } from '../../compile/aggregate.ts'
import { findPoints } from '../../engine/clickhouse/find-points.ts'
import { planMetricRequest } from '../../engine/postgres/plan-metric-request.ts'
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
    const plan = await planMetricRequest(caller, postgres, catalog, body, now())
    if (plan.aggregation === null) throw validationFail({ chartType: [messages.choice] })
    const { columns, statement } = pointStatement(clickhouse.database, plan, plan.aggregation)
    const rows = await findPoints(caller, clickhouse, statement, { endpoint: 'POST /metric_data', requestId })
    return ok(metricSeries(plan.splits, columns, rows))
  },
)
