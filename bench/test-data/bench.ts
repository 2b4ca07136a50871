import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { stackDown, stackUp } from '../../devstack/index.ts'
import { openClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'
import { reloadDictionaries } from '../../src/engine/clickhouse/reload-dictionaries.ts'
import { asOperator, operate } from '../../src/engine/postgres/operator/operator.ts'
import { createOrganisation } from '../../src/engine/postgres/operator/organisations.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import { createToken } from '../../src/engine/postgres/operator/tokens.ts'
import { clickHouseOptions, readSettings } from '../../src/serve/config.ts'
import { migrate } from '../../src/serve/migrate.ts'
import type { Asked } from './discarding-client.ts'

export type Bench = {
  /** The same rows, from the service and from the engine itself. */
  readonly ours: Asked
  readonly bare: Asked
  /** Bytes of memory the service holds now. */
  readonly memory: () => number
  readonly close: () => Promise<void>
}

const name = 'bench-test-data'
const port = 18_090
const agents = 2_000

/** Engines of their own with `rows` results of httpget in one month, and the service as a process of its own. */
export async function openBench(rows: number): Promise<Bench> {
  await stackDown({ name, wipe: true }).catch(() => {})
  const stack = await stackUp({ name })
  const settings = readSettings(stack.environment)
  await migrate(settings)
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
  const service = spawn(process.execPath, ['src/serve/main.ts', 'serve'], {
    env: {
      ...process.env,
      ...stack.environment,
      BROADGAUGE_PORT: String(port),
      BROADGAUGE_INGEST_PORT: String(port + 1),
      BROADGAUGE_OPS_PORT: String(port + 2),
      BROADGAUGE_LOG_LEVEL: 'error',
    },
    stdio: 'inherit',
  })
  await untilReady(`http://127.0.0.1:${port + 2}/readyz`)
  return {
    ours: {
      url: `http://127.0.0.1:${port}/test_data`,
      headers: { Authorization: token.token, 'Content-Type': 'application/json' },
      body: JSON.stringify({ test: 'httpget', date: { from: '2026', to: '2026' } }),
    },
    bare: {
      url: settings.BROADGAUGE_CLICKHOUSE_URL[0] ?? '',
      headers: {
        'X-ClickHouse-User': settings.BROADGAUGE_CLICKHOUSE_STREAM_USER,
        'X-ClickHouse-Key': settings.BROADGAUGE_CLICKHOUSE_STREAM_PASSWORD,
      },
      body: bareStatement,
    },
    memory: () => residentBytes(service),
    close: async () => {
      service.kill('SIGTERM')
      await once(service, 'exit')
      await stackDown({ name, wipe: true })
    },
  }
}

/** What the service asks for, with its parameters in place. */
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

function residentBytes({ pid }: ChildProcess): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1]) * 1024
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const response = await fetch(url).catch(() => null)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the service did not become ready')
}
