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
    // Not an analytics query: somebody is typing.
    const origin = {
      endpoint: 'GET /filters/{id}/values',
      requestId,
      panels: grants.panels.map((panel) => panel.id),
      meter: newMeter(),
      signal,
    }
    const { values, ageSeconds } = await listValues(caller, stores, catalog, grants, request, origin)
    const headers = {
      'cache-control': `private, max-age=${limits.valuesNoteMs / 1000}`,
      // A browser keeps it for whoever asks next, who may be of another organisation; and for pages of other origins.
      vary: 'Authorization, Origin',
      age: String(ageSeconds),
    }
    return { envelope: ok(valueList(values)), headers }
  },
)
