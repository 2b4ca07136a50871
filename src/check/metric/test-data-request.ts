import { validationFail } from '../../base/fault.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { exportFormats, type ExportFormat } from '../../catalog/export-formats.ts'
import type { Panel } from '../../catalog/grants.ts'
import type { VisibleCatalog, VisibleDimension } from '../../catalog/visible.ts'
import { FieldFaults, isAbsent, isObject, messages } from '../field-faults.ts'
import type { MetricFilter } from './filters/filter-tree.ts'
import { checkFilters } from './filters/metric-filters.ts'
import { checkPanelSelection } from './panel-selection.ts'
import { checkLimit, type PointSelection } from './point-selection.ts'
import { parseTestDate, type Days } from './test-date.ts'

export type TestDataRequest = {
  readonly test: TestDefinition
  readonly panels: readonly number[]
  readonly days: Days
  readonly filters: readonly MetricFilter[]
}

/** `visible` and `readable` are the tests and panels that the caller may use. Relative dates are relative to `now`. */
export function checkTestDataRequest(
  body: unknown,
  visible: VisibleCatalog,
  readable: readonly Panel[],
  now: Temporal.Instant,
  faults: FieldFaults = new FieldFaults(),
): TestDataRequest {
  if (!isObject(body)) throw validationFail({ body: [messages.type('object')] })
  faults.addUnexpected(body, ['test', 'date', 'panel', 'filters'])
  const test = checkTest(body['test'], visible, faults)
  const days = checkDays(body['date'], now, faults)
  const panels = checkPanelSelection(body['panel'], readable, faults)
  const dimensions = new Map(visible.recordDimensions.filter((one) => isOfTest(one, test)).map((one) => [one.id, one]))
  const filters = checkFilters(body['filters'], dimensions, [], faults)
  faults.throwIfAny()
  if (test === null || days === null) throw new Error('a fault of the request was not recorded')
  return { test, panels, days, filters }
}

/** A test has the dimensions of its agents and those of its columns. If the test is not valid, every dimension counts. */
const isOfTest = ({ source }: VisibleDimension, test: TestDefinition | null): boolean =>
  source.kind !== 'column' || test === null || test.columns.some(({ name }) => name === source.column)

function checkTest(value: unknown, { tests }: VisibleCatalog, faults: FieldFaults): TestDefinition | null {
  const test = tests.find(({ key }) => key === value)
  if (test !== undefined) return test
  faults.addChoice('test', value, () => tests.map(({ key }) => key), 'No test you can use has this key.')
  return null
}

function checkDays(value: unknown, now: Temporal.Instant, faults: FieldFaults): Days | null {
  if (!isObject(value)) {
    faults.add('date', value === undefined ? messages.missing : messages.type('object'))
    return null
  }
  faults.addUnexpected(value, ['from', 'to'], 'date')
  const from = checkDate(value['from'], 'date[from]', now, faults)
  const to = checkDate(value['to'], 'date[to]', now, faults)
  if (from === null || to === null) return null
  if (Temporal.PlainDate.compare(from.first, to.last) > 0)
    faults.add('date[to]', 'This value should not be before date[from].')
  return { first: from.first, last: to.last }
}

function checkDate(value: unknown, path: string, now: Temporal.Instant, faults: FieldFaults): Days | null {
  if (typeof value !== 'string') {
    faults.add(path, value === undefined ? messages.missing : messages.type('string'))
    return null
  }
  const days = parseTestDate(value, now)
  if (days === null) faults.add(path, 'This value is not a valid date.')
  return days
}

/** A request for test data, split into its `limit` and a body with all other fields. */
type Limited = { readonly limit: Pick<PointSelection, 'limit'>; readonly request: unknown }

export function checkPageLimit(body: unknown): Limited {
  if (!isObject(body)) return { limit: {}, request: body }
  const faults = new FieldFaults()
  const { limit: given, ...request } = body
  const limit = checkLimit(given, faults)
  faults.throwIfAny()
  return { limit: limit === null ? {} : { limit }, request }
}

/** A request for an export, split into its `format` and a request of the JSON endpoint with all other fields. */
type SplitRequest = { readonly format: ExportFormat; readonly request: unknown }

export function checkExportFormat(body: unknown, faults: FieldFaults): SplitRequest {
  const [csv] = exportFormats
  if (csv === undefined) throw new Error('there are no export formats')
  if (!isObject(body)) return { format: csv, request: body }
  const { format: key, ...request } = body
  const format = isAbsent(key) ? csv : exportFormats.find((one) => one.key === key)
  if (format === undefined) faults.addChoice('format', key, () => exportFormats.map((one) => one.key))
  return { format: format ?? csv, request }
}
