import { FieldFaults } from '../../check/field-faults.ts'
import { checkFileCanHave } from '../../check/metric/file-request.ts'
import { checkExportFormat } from '../../check/metric/test-data-request.ts'
import { checkNoParameters } from '../../check/query-parameters.ts'
import { ok } from '../../envelope/envelope.ts'
import { destinationOf, estimateMetricQuery } from '../../execute/estimate-query.ts'
import { planMetricRequest } from '../../execute/plan-metric-request.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute(
  'data',
  'POST',
  '/metric_data/estimate',
  'data:read',
  async (context, caller, { body, query, requestId, deadline: { signal } }) => {
    checkNoParameters(query)
    const { catalog, stores, now } = context
    const faults = new FieldFaults()
    const { request } = checkExportFormat(body, faults)
    const plan = await planMetricRequest(caller, stores, catalog, request, now(), faults)
    const destination = destinationOf(body)
    if (destination === 'file') checkFileCanHave(plan)
    return ok(await estimateMetricQuery(caller, context, plan, destination, { requestId, signal }))
  },
)
