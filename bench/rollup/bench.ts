import { newMeter } from '../../src/base/audit.ts'
import { limits } from '../../src/base/limits.ts'
import { statement, type Statement } from '../../src/base/sql.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import { pointStatement } from '../../src/compile/metric/aggregate.ts'
import type { MetricPlan } from '../../src/compile/metric/metric-plan.ts'
import { findUnnotedDays } from '../../src/compile/rollup/late-results.ts'
import { openClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'
import { logComment } from '../../src/engine/clickhouse/query/query-origin.ts'
import { asOperator } from '../../src/engine/postgres/operator/operator.ts'
import { planMetricRequest } from '../../src/execute/plan-metric-request.ts'
import { openPostgres } from '../../src/engine/postgres/postgres.ts'
import { withRollups } from '../../src/execute/with-rollups.ts'
import { rollupTerms } from '../../src/compile/rollup/rollup-terms.ts'
import { buildRollups } from '../../src/serve/tasks/build-rollups.ts'
import { clickHouseOptions } from '../../src/serve/config.ts'
import { withRollupStores } from '../../src/serve/tasks/rollup-stores.ts'
import { fillDownloadPanel } from '../rig/download-panel.ts'
import { openEngines, type Engines } from '../rig/engines.ts'
import { startService } from '../rig/service.ts'

/** What one question costs the engine. */
type Cost = { readonly milliseconds: number; readonly bytes: number }

export type RollupBench = {
  readonly rows: number
  readonly buildSeconds: number
  readonly firstDay: Temporal.PlainDate
  readonly lastDay: Temporal.PlainDate
  /** The whole answer over HTTP, in milliseconds. */
  readonly ask: (body: unknown) => Promise<number>
  /** The same question of the engine alone, from results. */
  readonly fromResults: (body: unknown) => Promise<Cost>
  /** From sums, with looking for late results. */
  readonly fromSums: (body: unknown) => Promise<Cost>
  readonly close: () => Promise<void>
}

const days = 365

/** Engines of its own, a year of one panel's downloads that is over, all of it put together, and the service. */
export async function openRollupBench(rows: number): Promise<RollupBench> {
  const engines = await openEngines('bench-rollup', 18_280)
  const { settings } = engines
  const lastDay = Temporal.Now.plainDateISO('UTC').subtract({ days: 35 })
  const panel = await fillDownloadPanel(settings, { rows, days, lastDay })
  const buildSeconds = await build(engines)
  const environment = { ...engines.environment, BROADGAUGE_ROLLUPS: 'false' }
  const service = await startService({ ...engines, environment })
  const postgres = openPostgres({ url: settings.BROADGAUGE_POSTGRES_URL, connectionsMax: 2, observe: () => {} })
  const clickhouse = openClickHouse({ ...clickHouseOptions(settings, 'QUERY'), timeoutMs: 600_000 })
  const scope = { organisationId: 1 }
  const origin = {
    endpoint: 'bench',
    requestId: 'bench',
    panels: [1],
    meter: newMeter(),
    signal: new AbortController().signal,
  }
  const planned = (body: unknown) => planMetricRequest(scope, postgres, catalog, body, Temporal.Now.instant())
  const engine = async ({ text, params }: Statement): Promise<Cost> => {
    const startedAt = performance.now()
    const result = await clickhouse.nodes[0]?.query({
      query: text,
      query_params: params,
      format: 'JSONCompactEachRow',
      clickhouse_settings: { wait_end_of_query: 1, log_comment: logComment(scope, origin) },
    })
    await result?.json()
    const summary = JSON.parse(String(result?.response_headers['x-clickhouse-summary'] ?? '{}')) as Record<
      string,
      string
    >
    return { milliseconds: performance.now() - startedAt, bytes: Number(summary['read_bytes']) }
  }
  const points = (plan: MetricPlan): Statement => {
    if (plan.aggregation === null) throw new Error('raw points have no sums')
    return statement(pointStatement(clickhouse.database, plan, plan.aggregation, limits.pointsMax).query)
  }
  return {
    rows: panel.rows,
    buildSeconds,
    firstDay: panel.firstDay,
    lastDay,
    ask: async (body) => {
      const startedAt = performance.now()
      const response = await fetch(`${service.baseUrl}/metric_data`, {
        method: 'POST',
        headers: { authorization: panel.token, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${response.status}: ${text}`)
      return performance.now() - startedAt
    },
    fromResults: async (body) => engine(points(await planned(body))),
    fromSums: async (body) => {
      const plan = await planned(body)
      const terms = rollupTerms(catalog, new Map())
      const rolled = await withRollups(scope, { postgres, clickhouse }, plan, terms, Temporal.Now.instant(), origin)
      if (rolled.rolled === undefined) throw new Error('nothing of it is answered from sums')
      const soon = new Date(Date.now() - 900_000).toISOString().replace('T', ' ').slice(0, 23)
      const late = await engine(statement(findUnnotedDays(clickhouse.database, plan, rolled.rolled.days, soon)))
      const sums = await engine(points(rolled))
      return { milliseconds: late.milliseconds + sums.milliseconds, bytes: late.bytes + sums.bytes }
    },
    close: async () => {
      await Promise.all([service.close(), postgres.close(), clickhouse.close()])
      await engines.close()
    },
  }
}

/** As if the results had been stored an hour ago: what has just been stored is left to the results. */
async function build({ settings }: Engines): Promise<number> {
  return withRollupStores(settings, async (stores) => {
    const { nodes, database } = stores.clickhouse
    for (const node of nodes)
      await node.command({
        query: `ALTER TABLE ${database}.httpget UPDATE ingested_at = now64(3) - INTERVAL 1 HOUR WHERE 1 SETTINGS mutations_sync = 2`,
      })
    const startedAt = performance.now()
    await asOperator(settings.BROADGAUGE_POSTGRES_ADMIN_URL ?? '', (operator) => buildRollups(operator, stores, {}))
    return (performance.now() - startedAt) / 1000
  })
}
