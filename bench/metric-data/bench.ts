import { once } from 'node:events'
import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { statement, type Statement } from '../../src/base/sql.ts'
import { newMeter } from '../../src/base/audit.ts'
import { limits } from '../../src/base/limits.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import { answerStatement } from '../../src/compile/metric/answer/answer-statement.ts'
import { openClickHouse, type ClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'
import { logComment } from '../../src/engine/clickhouse/query/query-origin.ts'
import { asOperator } from '../../src/engine/postgres/operator/operator.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import { planMetricRequest } from '../../src/execute/plan-metric-request.ts'
import { openPostgres } from '../../src/engine/postgres/postgres.ts'
import { adminUrl, clickHouseOptions } from '../../src/serve/config.ts'
import { engineWork, type EngineWork } from '../rig/engine-work.ts'
import { openEngines } from '../rig/engines.ts'
import { fillPanel, type BenchTest } from '../rig/fill-panel.ts'
import { startService } from '../rig/service.ts'

export type MetricBench = {
  readonly rows: number
  readonly lastDay: Temporal.PlainDate
  readonly firstDay: Temporal.PlainDate
  readonly servicePid: number
  readonly enginePid: number
  /** Returns the counters of each node: the rows and bytes that its queries have read so far, and their CPU time. */
  readonly work: () => Promise<EngineWork[]>
  /** Sends a request over HTTP and returns the complete response. */
  readonly ask: (body: unknown) => Promise<string>
  /** Returns the SQL statement that the service runs for this request. */
  readonly compile: (body: unknown) => Promise<Statement>
  /** Sends a statement to ClickHouse with its own client, without the service. */
  readonly bare: (query: Statement) => Promise<void>
  /** Like `bare`, but without the limits on time and memory that apply to queries of callers. */
  readonly unlimited: (query: Statement) => Promise<void>
  /** Adds panels, each with a copy of the first panel's results, until there are `panels` panels. */
  readonly copyUntil: (panels: number) => Promise<void>
  /** Stops the service while `work` runs: a running service would record the filter values of the new results. */
  readonly alone: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Stops merges while `work` runs. */
  readonly unmerged: <Result>(work: () => Promise<Result>) => Promise<Result>
  readonly close: () => Promise<void>
}

export type MetricBenchOptions = { readonly shards?: number; readonly days?: number; readonly test?: BenchTest }

/** Opens separate stores with one panel that has about `rows` results of one test, and starts the service. */
export async function openMetricBench(
  rows: number,
  { shards = 1, days = 90, test = 'httpget' }: MetricBenchOptions = {},
): Promise<MetricBench> {
  const engines = await openEngines(`bench-metric-data-${shards}`, 18_180, shards)
  const { settings } = engines
  const lastDay = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 })
  const panel = await fillPanel(settings, { rows, days, lastDay, test })
  const service = await startService(engines)
  const postgres = openPostgres({ url: settings.BROADGAUGE_POSTGRES_URL, connectionsMax: 2, observe: () => {} })
  const engine = openClickHouse({ ...clickHouseOptions(settings, 'QUERY'), timeoutMs: 600_000 })
  const admin = openClickHouse({ ...clickHouseOptions(settings, 'ADMIN'), timeoutMs: 3_600_000 })
  const headers = { authorization: panel.token, 'content-type': 'application/json' }
  const agent = new Agent({ keepAlive: true })
  // Use the same HTTP client as ClickHouse's client does: `fetch` takes a millisecond longer.
  const ask = async (body: unknown, options: RequestOptions): Promise<string> => {
    const sent = request(`${service.baseUrl}/metric_data`, options).end(JSON.stringify(body))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const said = await text(answer)
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${said}`)
    return said
  }
  const order = (query: string) => admin.nodes[0]?.command({ query })
  const panels = [1]
  const comment = () => logComment({ organisationId: 1 }, { endpoint: '', requestId: '', panels, meter: newMeter() })
  const send = async (to: ClickHouse, { text: sql, params }: Statement): Promise<void> => {
    const [node] = to.nodes
    const query = `${sql} FORMAT JSONCompactEachRow`
    const clickhouse_settings = { wait_end_of_query: 1 as const, log_comment: comment() }
    const result = await node?.exec({ query, query_params: params, clickhouse_settings })
    await result?.stream.toArray()
  }
  return {
    rows: panel.rows,
    firstDay: panel.firstDay,
    lastDay,
    servicePid: service.pid,
    enginePid: engines.enginePid,
    work: () => engineWork(admin),
    ask: (body) => ask(body, { agent, headers, method: 'POST' }),
    compile: async (body) => {
      const stores = { postgres, lookups: engine }
      const plan = await planMetricRequest({ organisationId: 1 }, stores, catalog, body, Temporal.Now.instant())
      if (plan.aggregation === null) throw new Error('raw points are measured by the bench of test data')
      return statement(answerStatement(engine.database, plan, plan.aggregation, limits.pointsMax).query)
    },
    bare: (query) => send(engine, query),
    unlimited: (query) => send(admin, query),
    copyUntil: async (count) => {
      while (panels.length < count) {
        const key = `bench-${panels.length + 1}`
        const { id } = await asOperator(adminUrl(settings), (operator) =>
          createPanel(operator, { key, name: key, owner: 'bench' }),
        )
        await admin.nodes[0]?.command({
          query: `INSERT INTO broadgauge.${test} SELECT * REPLACE (${id} AS panel) FROM (SELECT * FROM broadgauge.${test} WHERE panel = 1)`,
          clickhouse_settings: { log_comment: comment() },
        })
        panels.push(id)
      }
    },
    alone: async (work) => {
      process.kill(service.pid, 'SIGSTOP')
      await order(`KILL QUERY WHERE query LIKE 'INSERT INTO broadgauge.fact_values%' SYNC`)
      try {
        return await work()
      } finally {
        process.kill(service.pid, 'SIGCONT')
        // Wait until the service has closed its idle connections: a request on one of them would fail.
        await pause(2_000)
      }
    },
    unmerged: async (work) => {
      await order(`SYSTEM STOP MERGES broadgauge.${test}`)
      try {
        return await work()
      } finally {
        await order(`SYSTEM START MERGES broadgauge.${test}`)
      }
    },
    close: async () => {
      agent.destroy()
      await Promise.all([service.close(), postgres.close(), engine.close(), admin.close()])
      await engines.close()
    },
  }
}
