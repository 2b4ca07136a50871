import { once } from 'node:events'
import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { statement, type Statement } from '../../src/base/sql.ts'
import { newMeter } from '../../src/base/audit.ts'
import { limits } from '../../src/base/limits.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import { pointStatement } from '../../src/compile/metric/aggregate.ts'
import { openClickHouse, type ClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'
import { logComment } from '../../src/engine/clickhouse/query/query-origin.ts'
import { asOperator } from '../../src/engine/postgres/operator/operator.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import { planMetricRequest } from '../../src/execute/plan-metric-request.ts'
import { openPostgres } from '../../src/engine/postgres/postgres.ts'
import { adminUrl, clickHouseOptions } from '../../src/serve/config.ts'
import { engineWork, type EngineWork } from '../rig/engine-work.ts'
import { fillDownloadPanel } from '../rig/download-panel.ts'
import { openEngines } from '../rig/engines.ts'
import { startService } from '../rig/service.ts'

export type MetricBench = {
  readonly rows: number
  readonly lastDay: Temporal.PlainDate
  readonly firstDay: Temporal.PlainDate
  readonly servicePid: number
  readonly enginePid: number
  /** What queries have made each node do so far. */
  readonly work: () => Promise<EngineWork[]>
  /** The whole answer over HTTP. */
  readonly ask: (body: unknown) => Promise<string>
  /** The very statement of that answer. */
  readonly compile: (body: unknown) => Promise<Statement>
  /** A statement sent to the engine by nobody but its client. */
  readonly bare: (query: Statement) => Promise<void>
  /** The same without the limits of a caller's query on time and memory. */
  readonly unlimited: (query: Statement) => Promise<void>
  /** Until there are `panels` of them: further panels with the results of the first one. */
  readonly copyUntil: (panels: number) => Promise<void>
  /** The service stands still meanwhile: it would go through the new results for their values. */
  readonly alone: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Merges wait meanwhile. */
  readonly unmerged: <Result>(work: () => Promise<Result>) => Promise<Result>
  readonly close: () => Promise<void>
}

const days = 90

/** Engines of its own, one panel with about `rows` results of the download test over ninety days, and the service. */
export async function openMetricBench(rows: number, shards = 1): Promise<MetricBench> {
  const engines = await openEngines(`bench-metric-data-${shards}`, 18_180, shards)
  const { settings } = engines
  const lastDay = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 })
  const panel = await fillDownloadPanel(settings, { rows, days, lastDay })
  const service = await startService(engines)
  const postgres = openPostgres({ url: settings.BROADGAUGE_POSTGRES_URL, connectionsMax: 2, observe: () => {} })
  const engine = openClickHouse({ ...clickHouseOptions(settings, 'QUERY'), timeoutMs: 600_000 })
  const admin = openClickHouse({ ...clickHouseOptions(settings, 'ADMIN'), timeoutMs: 3_600_000 })
  const headers = { authorization: panel.token, 'content-type': 'application/json' }
  const agent = new Agent({ keepAlive: true })
  // By the same means as the engine's client: `fetch` takes a millisecond longer than it.
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
      const plan = await planMetricRequest({ organisationId: 1 }, postgres, catalog, body, Temporal.Now.instant())
      if (plan.aggregation === null) throw new Error('raw points are measured by the bench of test data')
      return statement(pointStatement(engine.database, plan, plan.aggregation, limits.pointsMax).query)
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
          query: `INSERT INTO broadgauge.httpget SELECT * REPLACE (${id} AS panel) FROM (SELECT * FROM broadgauge.httpget WHERE panel = 1)`,
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
        // It closes connections that have been silent for too long; what is sent on one of them meets with that.
        await pause(2_000)
      }
    },
    unmerged: async (work) => {
      await order('SYSTEM STOP MERGES broadgauge.httpget')
      try {
        return await work()
      } finally {
        await order('SYSTEM START MERGES broadgauge.httpget')
      }
    },
    close: async () => {
      agent.destroy()
      await Promise.all([service.close(), postgres.close(), engine.close(), admin.close()])
      await engines.close()
    },
  }
}
