import { visibleTo } from '../../catalog/visible.ts'
import { checkNoParameters } from '../../check/query-parameters.ts'
import { checkTestDataRequest } from '../../check/metric/test-data-request.ts'
import { compileTestRecords } from '../../compile/metric/test-records.ts'
import { streamRows } from '../../engine/clickhouse/query/stream-rows.ts'
import { readGrants } from '../../engine/postgres/access/read-grants.ts'
import { dayRange } from '../../compile/metric/metric-plan.ts'
import { resultsFromHeader } from '../../envelope/results-from.ts'
import { okStreamed } from '../../envelope/streamed.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute(
  'data',
  'POST',
  '/test_data',
  'data:read',
  async ({ catalog, stores: { postgres, streams }, now }, caller, { body, query, admission }) => {
    checkNoParameters(query)
    const grants = await readGrants(caller, postgres)
    const asked = now()
    const request = checkTestDataRequest(body, visibleTo(grants, catalog), grants.panels, asked)
    const { query: records } = compileTestRecords({ ...request, erased: grants.erased }, streams.database)
    const range = dayRange(request.days)
    const origin = await admission.beginQuery({ panels: request.panels, range })
    const headers = resultsFromHeader(request.test, range, asked)
    return { ...okStreamed(await streamRows(caller, streams, records, origin)), headers }
  },
)
