import { limits } from '../../base/limits.ts'
import { statement } from '../../base/sql.ts'
import { checkNoParameters } from '../../check/no-parameters.ts'
import { pointStatement } from '../../compile/aggregate.ts'
import { rawPoints } from '../../compile/raw-points.ts'
import { findPoints } from '../../engine/clickhouse/find-points.ts'
import { streamRows } from '../../engine/clickhouse/stream-rows.ts'
import { rollPlan } from '../../engine/roll-plan.ts'
import { planMetricRequest } from '../../engine/postgres/plan-metric-request.ts'
import { traced } from '../../engine/tracing.ts'
import { ok } from '../../envelope/envelope.ts'
import { metricSeries, percentilesHeader } from '../../envelope/metric-points.ts'
import { resultsFromHeader } from '../../envelope/results-from.ts'
import { localRange } from '../../compile/query-range.ts'
import { okSeriesStreamed } from '../../envelope/streamed.ts'
import { warningsHeader } from '../../envelope/warnings.ts'
import { defineRoute } from '../define-route.ts'
import { findWarnings } from '../find-warnings.ts'

export default defineRoute(
  'data',
  'POST',
  '/metric_data',
  'data:read',
  async ({ catalog, stores, rollups, now }, caller, { body, query, beginQuery, signal }) => {
    checkNoParameters(query)
    const { postgres, clickhouse, streams } = stores
    const asked = now()
    const plan = await planMetricRequest(caller, postgres, catalog, body, asked)
    const range = localRange(plan)
    const kept = resultsFromHeader(plan.test, range, asked)
    const origin = { ...(await beginQuery({ panels: plan.panels, range })), signal }
    const warnings = findWarnings(caller, stores, catalog, { ...plan, test: plan.test.key }, origin)
    if (plan.aggregation === null) {
      const points = traced('compile', 'internal', {}, () => rawPoints(streams.database, plan).query)
      const rows = await streamRows(caller, streams, points, origin)
      return { ...okSeriesStreamed(rows), headers: { ...kept, ...warningsHeader(await warnings) } }
    }
    const { aggregation } = plan
    const rolled = await rollPlan(caller, stores, plan, rollups, asked, origin)
    const { columns, query: points } = traced('compile', 'internal', {}, () =>
      pointStatement(clickhouse.database, rolled, aggregation, limits.pointsMax),
    )
    const rows = await findPoints(caller, clickhouse, statement(points), origin)
    const series = metricSeries(plan.splits, columns, rows)
    return { envelope: ok(series, await warnings), headers: { ...percentilesHeader(plan), ...kept } }
  },
)
