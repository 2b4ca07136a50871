import { limits } from '../../base/limits.ts'
import { statement } from '../../base/sql.ts'
import { checkNoParameters } from '../../check/query-parameters.ts'
import { pointStatement } from '../../compile/metric/aggregate.ts'
import { rawPoints } from '../../compile/metric/raw-points.ts'
import { findPoints } from '../../engine/clickhouse/query/find-points.ts'
import { streamRows } from '../../engine/clickhouse/query/stream-rows.ts'
import { ok } from '../../envelope/envelope.ts'
import { metricSeries, percentilesHeader } from '../../envelope/metric-points.ts'
import { resultsFromHeader } from '../../envelope/results-from.ts'
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
  async ({ catalog, stores, rollups, now }, caller, { body, query, admission }) => {
    checkNoParameters(query)
    const { clickhouse, streams } = stores
    const asked = now()
    const plan = await planMetricRequest(caller, stores.postgres, catalog, body, asked)
    const headers = resultsFromHeader(plan.test, plan.range, asked)
    const origin = await admission.beginQuery(plan)
    const warnings = findWarnings(caller, stores, catalog, { ...plan, test: plan.test.key }, origin)
    if (plan.aggregation === null) {
      const rows = await streamRows(caller, streams, rawPoints(streams.database, plan).query, origin)
      return { ...okSeriesStreamed(rows), headers: { ...headers, ...warningsHeader(await warnings) } }
    }
    const rolled = await withRollups(caller, stores, plan, rollups, asked, origin)
    const points = pointStatement(clickhouse.database, rolled, plan.aggregation, limits.pointsMax)
    const rows = await findPoints(caller, clickhouse, statement(points.query), origin)
    const series = metricSeries(plan.splits, points.columns, rows)
    return { envelope: ok(series, await warnings), headers: { ...headers, ...percentilesHeader(plan) } }
  },
)
