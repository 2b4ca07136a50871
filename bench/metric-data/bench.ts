import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stackDown, stackStatus, stackUp } from '../../devstack/index.ts'
import { statement, type Statement } from '../../src/base/sql.ts'
import { newMeter } from '../../src/base/audit.ts'
import { limits } from '../../src/base/limits.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import { pointStatement } from '../../src/compile/aggregate.ts'
import { openClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'
import { logComment } from '../../src/engine/clickhouse/query-origin.ts'
import { asOperator } from '../../src/engine/postgres/operator/operator.ts'
import { createOrganisation } from '../../src/engine/postgres/operator/organisations.ts'
import { createToken } from '../../src/engine/postgres/operator/tokens.ts'
import { planMetricRequest } from '../../src/engine/postgres/plan-metric-request.ts'
import { openPostgres } from '../../src/engine/postgres/postgres.ts'
import { clickHouseOptions, readSettings } from '../../src/serve/config.ts'
import { migrate } from '../../src/serve/migrate.ts'
import { synthesizePanel } from '../../src/serve/synthesize-panel.ts'

export type MetricBench = {
  readonly rows: number
  readonly lastDay: Temporal.PlainDate
  readonly firstDay: Temporal.PlainDate
  readonly servicePid: number
  readonly enginePid: number
  /** The whole answer over HTTP, unread. */
  readonly ask: (body: unknown) => Promise<void>
  /** The very statement of that answer. */
  readonly compile: (body: unknown) => Promise<Statement>
  /** A statement sent to the engine by nobody but its client. */
  readonly bare: (query: Statement) => Promise<void>
  readonly close: () => Promise<void>
}

const name = 'bench-metric-data'
const port = 18_180
const days = 90
/** Of the download test, per agent and day. */
const resultsADay = 9

/** Engines of its own, one panel with about `rows` results of the download test over ninety days, and the service. */
export async function openMetricBench(rows: number): Promise<MetricBench> {
  await stackDown({ name, wipe: true }).catch(() => {})
  const stack = await stackUp({ name })
  const environment = {
    ...stack.environment,
    BROADGAUGE_PORT: String(port),
    BROADGAUGE_INGEST_PORT: String(port + 1),
    BROADGAUGE_OPS_PORT: String(port + 2),
    BROADGAUGE_LOG_LEVEL: 'warn',
  }
  const settings = readSettings(environment)
  await migrate(settings)
  const token = await asOperator(settings.BROADGAUGE_POSTGRES_ADMIN_URL ?? '', async (operator) => {
    await createOrganisation(operator, { key: 'bench', name: 'bench', tests: ['*'], metrics: ['*'] })
    return createToken(operator, { organisation: 'bench', label: 'bench', scopes: ['data:read'], expiresAt: null })
  })
  const lastDay = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 })
  const firstDay = lastDay.subtract({ days: days - 1 })
  const written = await synthesizePanel(settings, {
    panel: 'bench',
    owner: 'bench',
    name: 'bench',
    seed: 1,
    agents: Math.ceil(rows / (days * resultsADay)),
    firstDay,
    lastDay,
    kinds: ['whitebox'],
    isp: null,
    tests: catalog.tests.filter(({ key }) => key === 'httpget'),
  })
  const service = spawn(process.execPath, ['src/serve/main.ts', 'serve'], {
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  })
  const baseUrl = `http://127.0.0.1:${port}`
  await untilReady(`http://127.0.0.1:${port + 2}/readyz`)
  const postgres = openPostgres({ url: settings.BROADGAUGE_POSTGRES_URL, connectionsMax: 2, observe: () => {} })
  const engine = openClickHouse({ ...clickHouseOptions(settings, 'QUERY'), timeoutMs: 600_000 })
  const headers = { authorization: token.token, 'content-type': 'application/json' }
  const origin = { endpoint: 'bench', requestId: 'bench', panels: [1], meter: newMeter() }
  const comment = logComment({ organisationId: 1 }, origin)
  const engineStatus = (await stackStatus({ name })).find(({ component }) => component === 'clickhouse-1')
  return {
    rows: written.reduce((sum, one) => sum + one.rows, 0),
    firstDay,
    lastDay,
    servicePid: service.pid ?? 0,
    enginePid: engineStatus?.pid ?? 0,
    ask: async (body) => {
      const response = await fetch(`${baseUrl}/metric_data`, { method: 'POST', headers, body: JSON.stringify(body) })
      const text = await response.text()
      if (!response.ok) throw new Error(`${response.status}: ${text}`)
    },
    compile: async (body) => {
      const plan = await planMetricRequest({ organisationId: 1 }, postgres, catalog, body, Temporal.Now.instant())
      if (plan.aggregation === null) throw new Error('raw points are measured by the bench of test data')
      return statement(pointStatement(engine.database, plan, plan.aggregation, limits.pointsMax).query)
    },
    bare: async ({ text, params }) => {
      const [node] = engine.nodes
      const query = `${text} FORMAT JSONCompactEachRow`
      const clickhouse_settings = { wait_end_of_query: 1 as const, log_comment: comment }
      const result = await node?.exec({ query, query_params: params, clickhouse_settings })
      await result?.stream.toArray()
    },
    close: async () => {
      service.kill('SIGTERM')
      await once(service, 'exit')
      await Promise.all([postgres.close(), engine.close()])
      await stackDown({ name, wipe: true })
    },
  }
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if ((await fetch(url).catch(() => null))?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the service did not become ready')
}
