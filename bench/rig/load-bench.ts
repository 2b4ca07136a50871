import { newMeter } from '../../src/base/audit.ts'
import { limits } from '../../src/base/limits.ts'
import { statement, type Statement } from '../../src/base/sql.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import { pointStatement } from '../../src/compile/metric/aggregate.ts'
import { openClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'
import { logComment } from '../../src/engine/clickhouse/query/query-origin.ts'
import { asOperator, type Operator } from '../../src/engine/postgres/operator/operator.ts'
import { createOrganisation } from '../../src/engine/postgres/operator/organisations.ts'
import { changeSubscription } from '../../src/engine/postgres/operator/panels.ts'
import { createToken } from '../../src/engine/postgres/operator/tokens.ts'
import { planMetricRequest } from '../../src/execute/plan-metric-request.ts'
import { openPostgres } from '../../src/engine/postgres/postgres.ts'
import { adminUrl, clickHouseOptions } from '../../src/serve/config.ts'
import { synthesizePanel } from '../../src/serve/tasks/synthesize-panel.ts'
import { openEngines, type Engines } from './engines.ts'
import { startService } from './service.ts'

export type LoadBench = {
  readonly lastDay: Temporal.PlainDate
  readonly baseUrl: string
  readonly servicePid: number
  readonly enginePid: number
  /** API tokens of organisations that can read the panel. The first organisation owns it. */
  readonly tokens: readonly string[]
  /** Returns the SQL statement that the service runs for a request with aggregated points. */
  readonly compile: (body: unknown) => Promise<Statement>
  /** Sends a statement to ClickHouse with its own client, without the service, on any number of connections. */
  readonly bare: (query: Statement) => Promise<void>
  readonly close: () => Promise<void>
}

export type LoadBenchOptions = {
  /** The name of the stack. Each bench has its own, so that two benches can run at the same time. */
  readonly name: string
  readonly port: number
  readonly rows: number
  readonly organisations: number
}

const days = 30
/** Number of results of the download test per agent and day. */
const resultsADay = 9

/** Opens separate stores with one panel that several organisations can read, and starts the service with default limits. */
export async function openLoadBench({ name, port, rows, organisations }: LoadBenchOptions): Promise<LoadBench> {
  const engines = await openEngines(name, port)
  const { settings } = engines
  const tokens = [await asOperator(adminUrl(settings), (operator) => newcomer(operator, 'bench'))]
  const lastDay = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 })
  await synthesizePanel(settings, {
    panel: 'bench',
    owner: 'bench',
    name: 'bench',
    seed: 1,
    agents: Math.ceil(rows / (days * resultsADay)),
    firstDay: lastDay.subtract({ days: days - 1 }),
    lastDay,
    kinds: ['whitebox'],
    isp: null,
    geography: 'united-kingdom',
    tests: catalog.tests.filter(({ key }) => key === 'httpget'),
  })
  await asOperator(adminUrl(settings), async (operator) => {
    for (let index = 1; index < organisations; index += 1) {
      tokens.push(await newcomer(operator, `bench-${index}`))
      await changeSubscription(operator, { panel: 'bench', organisation: `bench-${index}`, subscribed: true })
    }
  })
  const service = await startService(withDefaultLimits(engines))
  const postgres = openPostgres({ url: settings.BROADGAUGE_POSTGRES_URL, connectionsMax: 2, observe: () => {} })
  const engine = openClickHouse({ ...clickHouseOptions(settings, 'QUERY'), connectionsMax: Number.POSITIVE_INFINITY })
  const origin = { endpoint: 'bench', requestId: 'bench', panels: [1], meter: newMeter() }
  const comment = logComment({ organisationId: 1 }, origin)
  return {
    lastDay,
    baseUrl: service.baseUrl,
    servicePid: service.pid,
    enginePid: engines.enginePid,
    tokens,
    compile: async (body) => {
      const stores = { postgres, lookups: engine }
      const plan = await planMetricRequest({ organisationId: 1 }, stores, catalog, body, Temporal.Now.instant())
      if (plan.aggregation === null) throw new Error('raw points are measured by the bench of test data')
      return statement(pointStatement(engine.database, plan, plan.aggregation, limits.pointsMax).query)
    },
    bare: async ({ text, params }) => {
      const query = `${text} FORMAT JSONCompactEachRow`
      const clickhouse_settings = { wait_end_of_query: 1 as const, log_comment: comment }
      const result = await engine.nodes[0]?.exec({ query, query_params: params, clickhouse_settings })
      await result?.stream.toArray()
    },
    close: async () => {
      await Promise.all([service.close(), postgres.close(), engine.close()])
      await engines.close()
    },
  }
}

/** Adds the default limits, which the development stack disables. */
const withDefaultLimits = (engines: Engines): Engines => ({
  ...engines,
  environment: Object.fromEntries(
    Object.entries(engines.environment).filter(
      ([name]) => !/_(QUERIES|QUERIES_MAX|REQUESTS_PER_SECOND|ENGINE_SECONDS)$/.test(name),
    ),
  ),
})

/** Creates an organisation and returns a token of it. */
async function newcomer(operator: Operator, key: string): Promise<string> {
  await createOrganisation(operator, { key, name: key, tests: ['*'], metrics: ['*'] })
  const { token } = await createToken(operator, {
    organisation: key,
    label: key,
    scopes: ['data:read'],
    expiresAt: null,
  })
  return token
}
