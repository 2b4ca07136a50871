import { visibleTo } from '../../catalog/visible.ts'
import { FieldFaults } from '../../check/field-faults.ts'
import { checkExportFormat, checkTestDataRequest } from '../../check/metric/test-data-request.ts'
import { checkNoParameters } from '../../check/query-parameters.ts'
import { readGrants } from '../../engine/postgres/access/read-grants.ts'
import { ok } from '../../envelope/envelope.ts'
import { destinationOf, estimateTestQuery } from '../../execute/estimate-query.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute(
  'data',
  'POST',
  '/test_data/estimate',
  'data:read',
  async (context, caller, { body, query, requestId, deadline: { signal } }) => {
    checkNoParameters(query)
    const { catalog, stores, now } = context
    const grants = await readGrants(caller, stores.postgres)
    const faults = new FieldFaults()
    const { request } = checkExportFormat(body, faults)
    const checked = checkTestDataRequest(request, visibleTo(grants, catalog), grants.panels, now(), faults)
    const records = { ...checked, erased: grants.erased }
    return ok(await estimateTestQuery(caller, context, records, destinationOf(body), { requestId, signal }))
  },
)
