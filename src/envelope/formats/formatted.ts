import type { Warning } from '../../base/warning.ts'
import type { ResponseFormat } from '../../catalog/response-formats.ts'
import type { TestDataRequest } from '../../check/metric/test-data-request.ts'
import { dayOf } from '../../compile/export/export-file.ts'
import { flatColumns } from '../../compile/export/flat-columns.ts'
import { metricsName } from '../../compile/metric/answer/answer-statement.ts'
import type { MetricPlan } from '../../compile/metric/metric-plan.ts'
import type { Meta } from '../meta.ts'
import type { Streamed } from '../streamed.ts'
import { shownWarnings, warningsHeader } from '../warnings.ts'
import { arrowStream } from './arrow-stream.ts'
import type { Row } from './flat-rows.ts'
import { csvRows, ndjsonRows } from './text-rows.ts'

/** A response in a format other than JSON. Its size is known. */
export type Formatted = {
  readonly content: string | Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/** What is known about all points together. */
type About = { readonly warnings: readonly Warning[]; readonly meta: Meta | undefined }

type Points = { readonly columns: readonly string[]; readonly rows: readonly Row[] }

/** The points of a response as flat rows. Arrow has a place for `meta` and all warnings; a header has the first warnings. */
export async function formattedPoints(
  format: ResponseFormat,
  plan: MetricPlan,
  { columns, rows }: Points,
  { warnings, meta }: About,
): Promise<Formatted> {
  const flat = flatColumns(plan, columns)
  const metadata = {
    ...(meta === undefined ? {} : { 'broadgauge.meta': JSON.stringify(meta) }),
    ...(warnings.length === 0 ? {} : { 'broadgauge.warnings': JSON.stringify(shownWarnings(warnings)) }),
  }
  const contentOf = {
    csv: () => csvRows(flat, rows),
    ndjson: () => ndjsonRows(flat, rows),
    arrow: () => arrowStream(flat, rows, metadata),
  }
  if (format.key === 'json') throw new Error('JSON responses have an envelope')
  return {
    content: await contentOf[format.key](),
    headers: { ...fileHeaders(format, metricName(plan)), ...warningsHeader(warnings) },
  }
}

/** Rows that ClickHouse writes in the format of the response. */
export const streamedMetrics = <Rows>(format: ResponseFormat, plan: MetricPlan, rows: Rows): Streamed<Rows> =>
  streamedAs(format, metricName(plan), rows)

export const streamedTests = <Rows>(
  format: ResponseFormat,
  { test, days }: TestDataRequest,
  rows: Rows,
): Streamed<Rows> => streamedAs(format, [test.key, 'results', String(days.first), String(days.last)], rows)

const streamedAs = <Rows>(format: ResponseFormat, name: readonly string[], rows: Rows): Streamed<Rows> => ({
  before: '',
  rows,
  after: '',
  headers: fileHeaders(format, name),
})

const metricName = (plan: MetricPlan): readonly string[] => [
  ...metricsName(plan),
  ...(plan.splits.length === 0 ? [] : ['by', ...plan.splits.map(({ id }) => id)]),
  plan.aggregation?.key ?? 'raw',
  dayOf(plan.from),
  dayOf(plan.to),
]

/** Keys of custom fields can have any characters. Browsers and shells disagree about most of them in the names of files. */
const fileHeaders = (
  { contentType, extension }: ResponseFormat,
  name: readonly string[],
): Readonly<Record<string, string>> => {
  const safe = name.map((part) => part.replaceAll(/[^A-Za-z0-9._]+/g, '-').slice(0, partCharactersMax)).join('-')
  return { 'content-type': contentType, 'content-disposition': `attachment; filename="${safe}.${extension}"` }
}

const partCharactersMax = 40
