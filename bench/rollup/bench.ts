import { newMeter } from '../../src/base/audit.ts'
import { limits } from '../../src/base/limits.ts'
import { statement, type Statement } from '../../src/base/sql.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import { pointStatement } from '../../src/compile/metric/aggregate.ts'
import type { MetricPlan } from '../../src/compile/metric/metric-plan.ts'
import { findUnrecordedDays } from '../../src/compile/rollup/late-results.ts'
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
import { openEngines, type Engines } from '../rig/engines.ts'
import { fillPanel } from '../rig/fill-panel.ts'
import { startService } from '../rig/service.ts'

/** The cost of one query in ClickHouse. */
type Cost = { readonly milliseconds: number; readonly bytes: number }

export type RollupBench = {
  readonly rows: number
  readonly buildSeconds: number
  readonly firstDay: Temporal.PlainDate
  readonly lastDay: Temporal.PlainDate
  /** Sends a request over HTTP. Returns the milliseconds until the complete response. */
  readonly ask: (body: unknown) => Promise<number>
  /** Runs the same query in ClickHouse on results, without the service. */
  readonly fromResults: (body: unknown) => Promise<Cost>
  /** Runs the same query in ClickHouse on rollups, without the service. The cost includes the search for late results. */
  readonly fromRollup: (body: unknown) => Promise<Cost>
  readonly close: () => Promise<void>
}

const days = 365

/** Opens separate stores with a past year of one panel's download results and all its rollups, and starts the service. */
export async function openRollupBench(rows: number): Promise<RollupBench> {
  const engines = await openEngines('bench-rollup', 18_280)
  const { settings } = engines
  const lastDay = Temporal.Now.plainDateISO('UTC').subtract({ days: 35 })
  const panel = await fillPanel(settings, { rows, days, lastDay, test: 'httpget' })
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
  const stores = { postgres, lookups: clickhouse }
  const planned = (body: unknown) => planMetricRequest(scope, stores, catalog, body, Temporal.Now.instant())
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
    if (plan.aggregation === null) throw new Error('raw points have no rollups')
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
    fromRollup: async (body) => {
      const plan = await planned(body)
      const terms = rollupTerms(catalog, new Map())
      const rolled = await withRollups(scope, { postgres, clickhouse }, plan, terms, Temporal.Now.instant(), origin)
      if (rolled.rolled === undefined) throw new Error('the query uses no rollups')
      const soon = new Date(Date.now() - 900_000).toISOString().replace('T', ' ').slice(0, 23)
      const late = await engine(statement(findUnrecordedDays(clickhouse.database, plan, rolled.rolled.days, soon)))
      const sums = await engine(points(rolled))
      return { milliseconds: late.milliseconds + sums.milliseconds, bytes: late.bytes + sums.bytes }
    },
    close: async () => {
      await Promise.all([service.close(), postgres.close(), clickhouse.close()])
      await engines.close()
    },
  }
}

/**
 * Builds the rollups. First it sets the ingest time of all results to an hour ago, because queries do not use the rollup of a
 * day that has very recently stored results.
 */
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
