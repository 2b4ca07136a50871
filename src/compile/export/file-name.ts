import type { ExportFormat } from '../../catalog/export-formats.ts'
import type { TestDataRequest } from '../../check/metric/test-data-request.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'

/** What a browser calls the file it saves. Keys of the catalogue and days only: nothing a header would have to escape. */
export const metricFileName = ({ metric, aggregation, from, to }: MetricPlan, format: ExportFormat): string =>
  named([metric.key, aggregation?.key ?? 'raw', dayOf(from), dayOf(to)], format)

export const testFileName = ({ test, days: { first, last } }: TestDataRequest, format: ExportFormat): string =>
  named([test.key, 'results', String(first), String(last)], format)

const named = (parts: readonly string[], { key }: ExportFormat): string => `${parts.join('_')}.${key}`

const dayOf = (seconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toString()
    .slice(0, 10)
