import { visibleTo } from '../../catalog/visible.ts'
import { checkFormatOf } from '../../check/response-format.ts'
import { checkTestDataRequest } from '../../check/metric/test-data-request.ts'
import { responseCell } from '../../compile/export/export-file.ts'
import { testResponseRows } from '../../compile/export/export-rows.ts'
import { streamRows } from '../../engine/clickhouse/query/stream-rows.ts'
import { readGrants } from '../../engine/postgres/access/read-grants.ts'
import { dayRange } from '../../compile/metric/metric-plan.ts'
import { resultsFromHeader } from '../../envelope/results-from.ts'
import { streamedTests } from '../../envelope/formats/formatted.ts'
import { okStreamed } from '../../envelope/streamed.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute(
  'data',
  'POST',
  '/test_data',
  'data:read',
  async ({ catalog, stores: { postgres, streams }, now }, caller, { body, query, headers, admission }) => {
    const { format, request: given } = checkFormatOf(body, query, headers['accept'])
    const grants = await readGrants(caller, postgres)
    const asked = now()
    const request = checkTestDataRequest(given, visibleTo(grants, catalog), grants.panels, asked)
    const records = { ...request, erased: grants.erased }
    const range = dayRange(request.days)
    const origin = await admission.beginQuery({ panels: request.panels, range })
    const statement = testResponseRows(streams.database, records, responseCell(format))
    const rows = await streamRows(caller, streams, statement, origin, format)
    const streamed = format.key === 'json' ? okStreamed(rows) : streamedTests(format, request, rows)
    return { ...streamed, headers: { ...streamed.headers, ...resultsFromHeader(request.test, range, asked) } }
  },
)
