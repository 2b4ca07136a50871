import { statement } from '../base/sql.ts'
import type { ResponseFormat } from '../catalog/response-formats.ts'
import { pointsMaxOf } from '../check/metric/distribution.ts'
import { checkFormatCanHave } from '../check/response-format.ts'
import { rawResponseRows } from '../compile/export/export-rows.ts'
import { responseCell } from '../compile/export/export-file.ts'
import { pointStatement } from '../compile/metric/aggregate.ts'
import { resolvedBaseFilters } from '../compile/metric/comparison/planned-compare.ts'
import { percentileKeys } from '../compile/metric/distribution/percentile-levels.ts'
import { findPoints } from '../engine/clickhouse/query/find-points.ts'
import { streamRows } from '../engine/clickhouse/query/stream-rows.ts'
import { withComparisons } from '../envelope/comparison.ts'
import { ok } from '../envelope/envelope.ts'
import { withExactIntervals } from '../envelope/exact-intervals.ts'
import { formattedPoints, streamedMetrics } from '../envelope/formats/formatted.ts'
import { metaOf } from '../envelope/meta.ts'
import { checkPointCount, metricSeries, percentilesHeader } from '../envelope/metric-points.ts'
import { resultsFromHeader } from '../envelope/results-from.ts'
import { selectedPoints } from '../envelope/selected-points.ts'
import { okSeriesStreamed } from '../envelope/streamed.ts'
import { warningsHeader } from '../envelope/warnings.ts'
import { findWarnings } from '../execute/find-warnings.ts'
import { planMetricRequest } from '../execute/plan-metric-request.ts'
import { withRollups } from '../execute/with-rollups.ts'
import type { Handle } from './define-route.ts'

type Asked = { readonly format: ResponseFormat; readonly request: unknown }

/** Answers a request for metric data. `request` is the body without its format. */
export async function answerMetricData(
  { catalog, stores, rollups, costs, now }: Parameters<Handle>[0],
  caller: Parameters<Handle>[1],
  { admission }: Parameters<Handle>[2],
  { format, request }: Asked,
): ReturnType<Handle> {
  const { clickhouse, streams } = stores
  const asked = now()
  const plan = await planMetricRequest(caller, stores, catalog, request, asked)
  checkFormatCanHave(format, plan)
  const isJson = format.key === 'json'
  const { range, baseRange = range } = plan
  const headers = resultsFromHeader(plan.test, baseRange.from < range.from ? baseRange : range, asked)
  const origin = await admission.beginQuery(plan)
  const filters = [...plan.filters, ...resolvedBaseFilters(plan.compare)]
  const warnings = findWarnings(caller, stores, catalog, { ...plan, filters, test: plan.test.key }, origin)
  if (plan.aggregation === null) {
    const query = rawResponseRows(streams.database, plan, responseCell(format))
    const rows = await streamRows(caller, streams, query, origin, format)
    const streamed = isJson ? okSeriesStreamed(rows) : streamedMetrics(format, plan, rows)
    return { ...streamed, headers: { ...streamed.headers, ...headers, ...warningsHeader(await warnings) } }
  }
  const rolled = await withRollups(caller, stores, plan, rollups, asked, origin)
  const points = pointStatement(clickhouse.database, rolled, plan.aggregation, pointsMaxOf(plan))
  const rows = await findPoints(caller, clickhouse, statement(points.query), origin)
  costs.record(rolled, origin.meter)
  const levels = percentileKeys(plan)
  checkPointCount(plan.splits, points.columns, rows, pointsMaxOf(plan))
  const intervals = await withExactIntervals({ columns: points.columns, rows }, levels)
  const found = await withComparisons(plan, intervals)
  const selected = selectedPoints(plan, found, levels)
  const counts = { computed: found.rows.length, shown: selected.rows.length }
  const about = { warnings: await warnings, meta: metaOf(plan, { ...found, points: counts }) }
  const common = { ...headers, ...percentilesHeader(plan) }
  if (!isJson) {
    const formatted = await formattedPoints(format, plan, selected, about)
    return { ...formatted, headers: { ...formatted.headers, ...common } }
  }
  const series = metricSeries(plan.splits, selected.columns, selected.rows, levels)
  return { envelope: ok(series, about.warnings, about.meta), headers: common }
}
