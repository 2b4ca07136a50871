import { statement } from '../../base/sql.ts'
import { pointsMaxOf } from '../../check/metric/distribution.ts'
import { checkNoParameters } from '../../check/query-parameters.ts'
import { pointStatement } from '../../compile/metric/aggregate.ts'
import { resolvedBaseFilters } from '../../compile/metric/comparison/planned-compare.ts'
import { percentileKeys } from '../../compile/metric/distribution/percentile-levels.ts'
import { rawPoints } from '../../compile/metric/raw-points.ts'
import { findPoints } from '../../engine/clickhouse/query/find-points.ts'
import { streamRows } from '../../engine/clickhouse/query/stream-rows.ts'
import { withComparisons } from '../../envelope/comparison.ts'
import { ok } from '../../envelope/envelope.ts'
import { withExactIntervals } from '../../envelope/exact-intervals.ts'
import { metaOf } from '../../envelope/meta.ts'
import { checkPointCount, metricSeries, percentilesHeader } from '../../envelope/metric-points.ts'
import { resultsFromHeader } from '../../envelope/results-from.ts'
import { selectedPoints } from '../../envelope/selected-points.ts'
import { okSeriesStreamed } from '../../envelope/streamed.ts'
import { warningsHeader } from '../../envelope/warnings.ts'
import { findWarnings } from '../../execute/find-warnings.ts'
import { planMetricRequest } from '../../execute/plan-metric-request.ts'
import { withRollups } from '../../execute/with-rollups.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute(
  'data',
  'POST',
  '/metric_data',
  'data:read',
  async ({ catalog, stores, rollups, costs, now }, caller, { body, query, admission }) => {
    checkNoParameters(query)
    const { clickhouse, streams } = stores
    const asked = now()
    const plan = await planMetricRequest(caller, stores, catalog, body, asked)
    const { range, baseRange = range } = plan
    const headers = resultsFromHeader(plan.test, baseRange.from < range.from ? baseRange : range, asked)
    const origin = await admission.beginQuery(plan)
    const filters = [...plan.filters, ...resolvedBaseFilters(plan.compare)]
    const warnings = findWarnings(caller, stores, catalog, { ...plan, filters, test: plan.test.key }, origin)
    if (plan.aggregation === null) {
      const rows = await streamRows(caller, streams, rawPoints(streams.database, plan).query, origin)
      return { ...okSeriesStreamed(rows), headers: { ...headers, ...warningsHeader(await warnings) } }
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
    const series = metricSeries(plan.splits, selected.columns, selected.rows, levels)
    const counts = { computed: found.rows.length, shown: selected.rows.length }
    const meta = metaOf(plan, { ...found, points: counts })
    return { envelope: ok(series, await warnings, meta), headers: { ...headers, ...percentilesHeader(plan) } }
  },
)
