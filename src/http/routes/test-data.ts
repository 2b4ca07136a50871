import { checkNoParameters } from '../../check/query-parameters.ts'
import { compileTestRecords } from '../../compile/metric/test-records.ts'
import { streamRows } from '../../engine/clickhouse/query/stream-rows.ts'
import { dayRange } from '../../compile/metric/metric-plan.ts'
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
  async ({ catalog, stores, now }, caller, { body, query, admission }) => {
    checkNoParameters(query)
    const { streams } = stores
    const asked = now()
    const plan = await planTestRequest(caller, stores, catalog, body, asked)
    const { query: records } = compileTestRecords(plan, streams.database)
    const range = dayRange(plan.days)
    const origin = await admission.beginQuery({ panels: plan.panels, range })
    const warnings = findWarnings(caller, stores, catalog, { ...plan, range, pooled: [], test: plan.test.key }, origin)
    const rows = await streamRows(caller, streams, records, origin)
    const headers = { ...resultsFromHeader(plan.test, range, asked), ...warningsHeader(await warnings) }
    return { ...okStreamed(rows), headers }
  },
)
