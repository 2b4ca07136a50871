import { FieldFaults } from '../../check/field-faults.ts'
import { checkExportFormat } from '../../check/metric/test-data-request.ts'
import { checkNoParameters } from '../../check/query-parameters.ts'
import { ok } from '../../envelope/envelope.ts'
import { destinationOf, estimateTestQuery } from '../../execute/estimate-query.ts'
import { planTestRequest } from '../../execute/plan-test-request.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute(
  'data',
  'POST',
  '/test_data/estimate',
  'data:read',
  async (context, caller, { body, query, requestId, deadline: { signal } }) => {
    checkNoParameters(query)
    const { catalog, stores, now } = context
    const faults = new FieldFaults()
    const { request } = checkExportFormat(body, faults)
    const plan = await planTestRequest(caller, stores, catalog, request, now(), faults)
    return ok(await estimateTestQuery(caller, context, plan, destinationOf(body), { requestId, signal }))
  },
)
