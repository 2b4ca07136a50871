import { newMeter } from '../../base/audit.ts'
import { limits } from '../../base/limits.ts'
import { visibleTo } from '../../catalog/visible.ts'
import { checkValuesRequest } from '../../check/metric/values-request.ts'
import { listValues } from '../../execute/list-values.ts'
import { readGrants } from '../../engine/postgres/access/read-grants.ts'
import { ok } from '../../envelope/envelope.ts'
import { valueList } from '../../envelope/listings.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute(
  'data',
  'GET',
  '/filters/:id/values',
  'data:read',
  async ({ catalog, stores }, caller, { params, query, requestId, deadline: { signal } }) => {
    const grants = await readGrants(caller, stores.postgres)
    const request = checkValuesRequest(params['id'], query, visibleTo(grants, catalog))
    // This request serves autocompletion. It is not an analytics query, so it takes no query slot and is not audited.
    const panels = grants.panels.map(({ id }) => id)
    const origin = {
      endpoint: 'GET /filters/{id}/values',
      requestId,
      panels,
      meter: newMeter(),
      signal,
    }
    const { values, ageSeconds } = await listValues(caller, stores, catalog, panels, request, origin)
    const headers = {
      'cache-control': `private, max-age=${limits.valuesRecordMs / 1000}`,
      // A browser may cache the response. The cached response must not be used for the next user, who may belong to another
      // organisation, or for pages of other origins.
      vary: 'Authorization, Origin',
      age: String(ageSeconds),
    }
    return { envelope: ok(valueList(values)), headers }
  },
)
