import { statement } from '../base/sql.ts'
import type { ResponseFormat } from '../catalog/response-formats.ts'
import { pointsMaxOf } from '../check/metric/distribution.ts'
import { checkFormatCanHave } from '../check/response-format.ts'
import { rawResponseRows } from '../compile/export/export-rows.ts'
import { responseCell } from '../compile/export/export-file.ts'
import { answerStatement, seriesKeys, statementKeys } from '../compile/metric/answer/answer-statement.ts'
import { changedPlan } from '../compile/metric/metric-plan.ts'
import { rawRows } from '../compile/metric/raw-points.ts'
import { resolvedBaseFilters } from '../compile/metric/comparison/planned-compare.ts'
import { percentileKeys } from '../compile/metric/distribution/percentile-levels.ts'
import { findPoints } from '../engine/clickhouse/query/find-points.ts'
import { streamRows } from '../engine/clickhouse/query/stream-rows.ts'
import { withComparisons } from '../envelope/comparison.ts'
import { ok } from '../envelope/envelope.ts'
import { withExactIntervals } from '../envelope/exact-intervals.ts'
import { formattedPoints, streamedMetrics } from '../envelope/formats/formatted.ts'
import { metaOf, nextHeader } from '../envelope/meta.ts'
import { checkPointCount, metricSeries, percentilesHeader } from '../envelope/metric-points.ts'
import { resultsFromHeader } from '../envelope/results-from.ts'
import { selectedPoints } from '../envelope/selected-points.ts'
import { okSeriesStreamed } from '../envelope/streamed.ts'
import { separateTotals } from '../envelope/totals.ts'
import { warningsHeader } from '../envelope/warnings.ts'
import { scopeOfTests } from '../execute/find-scope-warnings.ts'
import { findWarnings } from '../execute/find-warnings.ts'
import { findPage, openPage, pinPage } from '../execute/paging/pages.ts'
import { planMetricRequest } from '../execute/plan-metric-request.ts'
import { withRollups } from '../execute/with-rollups.ts'
import type { Handle } from './define-route.ts'

type Asked = { readonly format: ResponseFormat; readonly request: unknown }

/** Answers a request for metric data. `request` is the body without its format. */
export async function answerMetricData(
  { catalog, stores, rollups, costs, now }: Parameters<Handle>[0],
  caller: Parameters<Handle>[1],
  { admission }: Pick<Parameters<Handle>[2], 'admission'>,
  { format, request }: Asked,
): ReturnType<Handle> {
  const { clickhouse, streams } = stores
  const opened = openPage(caller, '/metric_data', request, now())
  const { asked } = opened
  const plan = await planMetricRequest(caller, stores, catalog, opened.request, asked)
  checkFormatCanHave(format, plan)
  const isJson = format.key === 'json'
  const { range, baseRange = range } = plan
  const headers = resultsFromHeader(plan, baseRange.from < range.from ? baseRange : range, asked)
  const origin = await admission.beginQuery(plan)
  const filters = [...plan.filters, ...resolvedBaseFilters(plan.compare)]
  const warnings = findWarnings(caller, stores, catalog, { ...plan, ...scopeOfTests(plan), filters }, origin)
  const page = await pinPage(caller, stores, opened, { ...plan, ...scopeOfTests(plan) }, now, origin)
  const pin = page === null ? {} : { storedBefore: page.storedBefore }
  if (plan.aggregation === null) {
    const pinned = { ...plan, ...pin }
    const { next, ...paged } = await findPage(caller, stores, page, pinned, rawRows, origin)
    const query = rawResponseRows(streams.database, { ...pinned, ...paged }, responseCell(format))
    const rows = await streamRows(caller, streams, query, origin, format)
    const meta = next === undefined ? undefined : metaOf(plan, { next })
    const streamed = isJson ? okSeriesStreamed(rows, meta) : streamedMetrics(format, plan, rows)
    const about = { ...headers, ...nextHeader(next), ...warningsHeader(await warnings) }
    return { ...streamed, headers: { ...streamed.headers, ...about } }
  }
  // Rollups contain no results that are stored later: if there are any, the days are read from results.
  const rolled = changedPlan(await withRollups(caller, stores, plan, rollups, asked, origin), pin)
  const points = answerStatement(clickhouse.database, rolled, plan.aggregation, pointsMaxOf(plan))
  const rows = await findPoints(caller, clickhouse, statement(points.query), origin)
  costs.record(rolled, origin.meter)
  const levels = percentileKeys(plan)
  const keys = seriesKeys(plan)
  checkPointCount(statementKeys(plan), points.columns, rows, pointsMaxOf(plan))
  const intervals = await withExactIntervals({ columns: points.columns, rows }, levels)
  const { points: found, totals } = separateTotals(plan, await withComparisons(plan, intervals), levels)
  const { limit = Infinity, ...unlimited } = plan
  const all = selectedPoints({ ...unlimited, splits: keys }, found, levels)
  await page?.confirm()
  const { rows: shown, next } = page?.points(all.rows, limit) ?? { rows: all.rows }
  const selected = { ...all, rows: shown }
  const counts = { computed: found.rows.length, shown: shown.length }
  const known = {
    ...found,
    points: counts,
    ...(totals === undefined ? {} : { totals }),
    ...(next === undefined ? {} : { next }),
  }
  const about = { warnings: await warnings, meta: metaOf(plan, known) }
  const common = { ...headers, ...nextHeader(next), ...percentilesHeader(plan) }
  if (!isJson) {
    const formatted = await formattedPoints(format, plan, selected, about)
    return { ...formatted, headers: { ...formatted.headers, ...common } }
  }
  const series = metricSeries(keys, selected.columns, selected.rows, levels)
  return { envelope: ok(series, about.warnings, about.meta), headers: common }
}
