import { checkPageLimit } from '../../check/metric/test-data-request.ts'
import { checkFormatOf } from '../../check/response-format.ts'
import { responseCell } from '../../compile/export/export-file.ts'
import { testResponseRows } from '../../compile/export/export-rows.ts'
import { dayRange } from '../../compile/metric/metric-plan.ts'
import { recordRows } from '../../compile/metric/test-records.ts'
import { streamRows } from '../../engine/clickhouse/query/stream-rows.ts'
import { nextHeader } from '../../envelope/meta.ts'
import { streamedTests } from '../../envelope/formats/formatted.ts'
import { resultsFromHeader } from '../../envelope/results-from.ts'
import { okStreamed } from '../../envelope/streamed.ts'
import { warningsHeader } from '../../envelope/warnings.ts'
import { findWarnings } from '../../execute/find-warnings.ts'
import { findPage, openPage, pinPage } from '../../execute/paging/pages.ts'
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
    const opened = openPage(caller, '/test_data', request, now())
    const { limit, request: unpaged } = checkPageLimit(opened.request)
    const plan = await planTestRequest(caller, stores, catalog, unpaged, opened.asked)
    const range = dayRange(plan.days)
    const origin = await admission.beginQuery({ panels: plan.panels, range })
    const { keepDays, key } = plan.test
    const subject = { ...plan, test: key, ...limit, ...(keepDays === undefined ? {} : { keepDays }) }
    const page = await pinPage(caller, stores, opened, subject, now, origin)
    const pinned = { ...plan, ...limit, ...(page === null ? {} : { storedBefore: page.storedBefore }) }
    const { next, ...paged } = await findPage(caller, stores, page, pinned, recordRows, origin)
    const warnings = findWarnings(caller, stores, catalog, { ...plan, range, pooled: [], test: plan.test.key }, origin)
    const records = testResponseRows(streams.database, { ...pinned, ...paged }, responseCell(format))
    const rows = await streamRows(caller, streams, records, origin, format)
    const streamed =
      format.key === 'json'
        ? okStreamed(rows, next === undefined ? undefined : { next })
        : streamedTests(format, plan, rows)
    const about = {
      ...resultsFromHeader(plan.test, range, opened.asked),
      ...nextHeader(next),
      ...warningsHeader(await warnings),
    }
    return { ...streamed, headers: { ...streamed.headers, ...about } }
  },
)
