import { BoundName, statement } from '../../src/base/sql.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import type { ResponseFormat } from '../../src/catalog/response-formats.ts'
import { responseCell } from '../../src/compile/export/export-file.ts'
import { testResponseRows } from '../../src/compile/export/export-rows.ts'
import { openClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'
import { reloadDictionaries } from '../../src/engine/clickhouse/dictionaries/reload-dictionaries.ts'
import { asOperator, operate } from '../../src/engine/postgres/operator/operator.ts'
import { createOrganisation } from '../../src/engine/postgres/operator/organisations.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import { createToken } from '../../src/engine/postgres/operator/tokens.ts'
import { clickHouseOptions } from '../../src/serve/config.ts'
import { openEngines } from '../rig/engines.ts'
import { memoryNow } from '../rig/processor-seconds.ts'
import { startService } from '../rig/service.ts'
import type { Asked } from './discarding-client.ts'

export type Bench = {
  /** The request to the service. `bare` is the request for the same rows to ClickHouse. */
  readonly ours: Asked
  readonly bare: Asked
  /** The same two requests in another format. */
  readonly inFormat: (format: ResponseFormat) => { readonly ours: Asked; readonly bare: Asked }
  /** Returns the current memory of the service, in megabytes. */
  readonly memory: () => Promise<number>
  readonly close: () => Promise<void>
}

const agents = 2_000

/** Opens separate stores with `rows` results of httpget in one month, and starts the service as a separate process. */
export async function openBench(rows: number): Promise<Bench> {
  const engines = await openEngines('bench-test-data', 18_090)
  const { settings } = engines
  const token = await asOperator(settings.BROADGAUGE_POSTGRES_ADMIN_URL ?? '', async (operator) => {
    await createOrganisation(operator, { key: 'bench', name: 'bench', tests: ['*'], metrics: ['*'] })
    await createPanel(operator, { key: 'bench', name: 'bench', owner: 'bench' })
    const text = `INSERT INTO agents (panel_id, kind, agent_id, unit_id, base)
                  SELECT 1, 'whitebox', 'agent-' || n, n, 'model-' || n % 7 FROM generate_series(1, ${agents}) AS n`
    await operate(operator, text)
    return createToken(operator, { organisation: 'bench', label: 'bench', scopes: ['data:read'], expiresAt: null })
  })
  const admin = openClickHouse({ ...clickHouseOptions(settings, 'ADMIN'), timeoutMs: 600_000 })
  await admin.nodes[0]?.command({ query: filling(rows) })
  await reloadDictionaries(admin, 'agents')
  await admin.close()
  const service = await startService(engines)
  const ours = {
    url: `${service.baseUrl}/test_data`,
    headers: { Authorization: token.token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ test: 'httpget', date: { from: '2026', to: '2026' } }),
  }
  const bare = {
    url: `${settings.BROADGAUGE_CLICKHOUSE_URL[0]}/?${new URLSearchParams({ log_comment: comment })}`,
    headers: {
      'X-ClickHouse-User': settings.BROADGAUGE_CLICKHOUSE_STREAM_USER,
      'X-ClickHouse-Key': settings.BROADGAUGE_CLICKHOUSE_STREAM_PASSWORD,
    },
    body: bareStatement,
  }
  return {
    ours,
    bare,
    inFormat: (format) => {
      const { text, params } = statement(testResponseRows('broadgauge', wholeYear, responseCell(format)))
      const bound = Object.entries(params).map(
        ([name, value]) => `param_${name}=${encodeURIComponent(boundText(value))}`,
      )
      const engineFormat = format.key === 'csv' ? 'CSVWithNames' : 'ArrowStream'
      return {
        ours: { ...ours, url: `${ours.url}?format=${format.key}` },
        bare: { ...bare, url: `${bare.url}&${bound.join('&')}`, body: `${text} FORMAT ${engineFormat}` },
      }
    },
    memory: () => memoryNow(service.pid),
    close: async () => {
      await service.close()
      await engines.close()
    },
  }
}

const httpget = catalog.tests.find(({ key }) => key === 'httpget')
if (httpget === undefined) throw new Error('there is no test httpget')
const days = { first: Temporal.PlainDate.from('2026-01-01'), last: Temporal.PlainDate.from('2026-12-31') }
const wholeYear = { test: httpget, panels: [1], days, erased: [], filters: [] }

const boundText = (value: unknown): string =>
  value instanceof BoundName ? value.text : Array.isArray(value) ? JSON.stringify(value) : String(value)

/** The comment of the query with the permitted panels. Without it, the row policies hide all rows. */
const comment = JSON.stringify({ panels: [1] })

/** The statement of the service, with its parameters inlined. */
const bareStatement = `
  SELECT dictGet('broadgauge.agents', 'base', agent) AS base, toDate(dtime) AS ddate, dtime,
    dictGet('broadgauge.agents', 'agent_id', agent) AS agent_id, dictGet('broadgauge.agents', 'unit_id', agent) AS unit_id,
    target, address, fetch_time, bytes_total, bytes_sec, bytes_sec_interval, warmup_time, warmup_bytes, sequence, threads,
    tcp_retransmissions, successes, failures, ip_version, target_group
  FROM broadgauge.httpget
  WHERE panel IN [1] AND toDate(dtime) >= '2026-01-01' AND toDate(dtime) <= '2026-12-31'
  ORDER BY panel, toDate(dtime), agent, dtime, target, sequence, threads, ip_version
  FORMAT JSONEachRow`

const filling = (rows: number): string => `
  INSERT INTO broadgauge.httpget (panel, agent, dtime, target, address, fetch_time, bytes_total, bytes_sec, bytes_sec_interval,
    warmup_time, warmup_bytes, sequence, threads, tcp_retransmissions, successes, failures, ip_version, target_group)
  SELECT 1, 1 + number % ${agents}, toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + toIntervalSecond(rand(9) % 2592000),
    concat('n', toString(number % 40), '.example.net'), concat('10.0.', toString(number % 250), '.7'),
    10000000 + rand(1) % 100000, rand(2), rand(3), rand(4), 3000000 + rand(5) % 1000, rand(6), 5, 3, rand(7) % 200, 1, 0, 4, 'off-net'
  FROM numbers(${rows})`
