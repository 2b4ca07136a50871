import { describe, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import { visibleTo } from '../../../src/catalog/visible.ts'
import { Fault } from '../../../src/base/fault.ts'
import { FieldFaults } from '../../../src/check/field-faults.ts'
import { checkMetadataChange } from '../../../src/check/metadata/metadata-change.ts'
import { checkFileCanHave } from '../../../src/check/metric/file-request.ts'
import { checkMetricRequest } from '../../../src/check/metric/metric-request.ts'
import { pointNumbers } from '../../../src/check/metric/point-numbers.ts'
import { checkExportFormat, checkPageLimit, checkTestDataRequest } from '../../../src/check/metric/test-data-request.ts'
import { checkLinkRequest } from '../../../src/check/question/link-request.ts'
import { checkQuestion, checkStatistic } from '../../../src/check/question/question.ts'
import { checkFormatCanHave, checkFormatOf } from '../../../src/check/response-format.ts'
import { openPage } from '../../../src/execute/paging/pages.ts'
import { destinationOf } from '../../../src/execute/estimate-query.ts'
import { bodiesNear, operationsWithBodies } from './bodies-near.ts'
import { requestFaults } from './document.ts'

const now = Temporal.Now.instant()
const panels = [{ id: 1, key: 'homes', owned: true }]
const visible = visibleTo(
  { panels, kinds: ['whitebox', 'mobile'], tests: 'all', metrics: 'all', customFields: [], erased: [] },
  catalog,
)

const checkMetricFile = (body: unknown): void => {
  const faults = new FieldFaults()
  checkFileCanHave(checkMetricRequest(checkExportFormat(body, faults).request, visible, panels, now, faults))
}
const checkTestFile = (body: unknown): void => {
  const faults = new FieldFaults()
  checkTestDataRequest(checkExportFormat(body, faults).request, visible, panels, now, faults)
}

function checkSavedQuestion(body: unknown): void {
  const faults = new FieldFaults()
  const content = checkQuestion(body, visible, faults)
  faults.throwIfAny()
  const request = checkMetricRequest(content?.request, visible, panels, now)
  checkStatistic(content?.chart ?? null, pointNumbers(request), faults)
  faults.throwIfAny()
}

/** The checks of the routes that depend only on the body. */
const checks: Record<(typeof operationsWithBodies)[number], (body: unknown) => void> = {
  'POST /metric_data': (body) => {
    const { format, request } = checkFormatOf(body, {}, undefined)
    checkFormatCanHave(format, checkMetricRequest(request, visible, panels, now))
  },
  'POST /test_data': (body) => {
    const opened = openPage({ organisationId: 1 }, '/test_data', checkFormatOf(body, {}, undefined).request, now)
    checkTestDataRequest(checkPageLimit(opened.request).request, visible, panels, now)
  },
  'POST /metric_data_download': checkMetricFile,
  'POST /test_data_download': checkTestFile,
  'POST /metric_data/estimate': (body) => {
    const faults = new FieldFaults()
    const request = checkMetricRequest(checkExportFormat(body, faults).request, visible, panels, now, faults)
    if (destinationOf(body) === 'file') checkFileCanHave(request)
  },
  'POST /test_data/estimate': checkTestFile,
  'PUT /metadata': (body) => checkMetadataChange(body, now).faults.throwIfAny(),
  'PUT /questions/{key}': checkSavedQuestion,
  'POST /questions/{key}/links': (body) => void checkLinkRequest(body, now),
}

function isRefused(operation: (typeof operationsWithBodies)[number], body: unknown): boolean {
  try {
    checks[operation](body)
    return false
  } catch (error) {
    if (error instanceof Fault && error.code === 'VALIDATION_FAIL') return true
    throw error
  }
}

/** openapi.test.ts sends a sample of these bodies to the service. */
describe('the document refuses exactly what the checks refuse', () => {
  it.each(operationsWithBodies)('%s', (operation) => {
    const bodies = bodiesNear(operation)
    let refused = 0
    for (const body of bodies) {
      const documented = requestFaults(operation, body).length > 0
      // An assertion for each body would take longer than both checks.
      if (documented !== isRefused(operation, body)) expect.fail(`${operation}: ${JSON.stringify(body)}, ${documented}`)
      if (documented) refused += 1
    }
    expect(refused).toBeGreaterThan(bodies.length / 4)
    expect(bodies.length - refused).toBeGreaterThan(1)
  })
})
