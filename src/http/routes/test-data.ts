import { checkFormatOf } from '../../check/response-format.ts'
import { responseCell } from '../../compile/export/export-file.ts'
import { testResponseRows } from '../../compile/export/export-rows.ts'
import { dayRange } from '../../compile/metric/metric-plan.ts'
import { streamRows } from '../../engine/clickhouse/query/stream-rows.ts'
import { streamedTests } from '../../envelope/formats/formatted.ts'
import { resultsFromHeader } from '../../envelope/results-from.ts'
import { okStreamed } from '../../envelope/streamed.ts'
import { warningsHeader } from '../../envelope/warnings.ts'
import { findWarnings } from '../../execute/find-warnings.ts'
import { planTestRequest } from '../../execute/plan-test-request.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute(
  'data',
  'POST',
  '/test_data',
  'data:read',
  async ({ catalog, stores, now }, caller, { body, query, headers, admission }) => {
    const { format, request } = checkFormatOf(body, query, headers['accept'])
    const { streams } = stores
    const asked = now()
    const plan = await planTestRequest(caller, stores, catalog, request, asked)
    const range = dayRange(plan.days)
    const origin = await admission.beginQuery({ panels: plan.panels, range })
    const warnings = findWarnings(caller, stores, catalog, { ...plan, range, pooled: [], test: plan.test.key }, origin)
    const records = testResponseRows(streams.database, plan, responseCell(format))
    const rows = await streamRows(caller, streams, records, origin, format)
    const streamed = format.key === 'json' ? okStreamed(rows) : streamedTests(format, plan, rows)
    const about = { ...resultsFromHeader(plan.test, range, asked), ...warningsHeader(await warnings) }
    return { ...streamed, headers: { ...streamed.headers, ...about } }
  },
)
