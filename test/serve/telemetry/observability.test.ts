import { execFile, spawn } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSettings } from '../../../src/serve/config.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { startWorker, type Worker } from '../../../src/serve/wiring/worker.ts'
import { call } from '../../kit/call.ts'
import { freePort } from '../../kit/free-port.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { callStream } from '../../kit/stream-call.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { failing } from '../../features/test-data/stream-world.ts'

/** A real Prometheus scrapes the service and a worker. It evaluates the rules and the dashboard that operators get. */
let world: World
let service: Service
let worker: Worker
let secret: string
let prometheus: ReturnType<typeof spawn>
let address: string
const folder = mkdtempSync(join(tmpdir(), 'broadgauge-prometheus-'))

const dashboard = JSON.parse(readFileSync('deploy/grafana/broadgauge.json', 'utf8')) as {
  panels: { title: string; targets: { expr: string }[] }[]
}

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox'])
  secret = await token(world, 'acme')
  service = await world.serve({ BROADGAUGE_EXPORTS_MAX: '0' }, [failing])
  worker = await startWorker(readSettings({ ...world.environment, ...engineRefuses }), () => {})
  await post('/metric_data', {
    metric: 'httpget',
    chartType: 'aggregate',
    aggregation: 'daily',
    normalised: false,
    prefilter: false,
    time: { from: '-1 days', to: 'now' },
  })
  cpSync('deploy/prometheus/rules.yml', join(folder, 'rules.yml'))
  const configuration = readFileSync('deploy/prometheus/prometheus.yml', 'utf8')
    .replace('127.0.0.1:8082', new URL(service.addresses.operations).host)
    .replace('127.0.0.1:8083', new URL(worker.operations).host)
    .replace('15s', '1s\n  evaluation_interval: 1s')
  writeFileSync(join(folder, 'prometheus.yml'), configuration)
  address = `127.0.0.1:${await freePort()}`
  prometheus = spawn(
    'prometheus',
    [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`],
    { stdio: 'ignore' },
  )
  await until(async () => (await ask('up{job="broadgauge"} == 1')).length === 2)
})
afterAll(async () => {
  prometheus.kill('SIGKILL')
  await worker.stop('the test is over')
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

/** With a wrong password of the export user, every export fails at once. */
const engineRefuses = { BROADGAUGE_CLICKHOUSE_EXPORT_PASSWORD: 'wrong' }

const post = (path: string, body: object) =>
  call(`${service.addresses.api}${path}`, {
    method: 'POST',
    token: secret,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await condition().catch(() => false)) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('Prometheus did not see it')
}

type Sample = { metric: Record<string, string>; value: [number, string] }

async function ask(expression: string): Promise<Sample[]> {
  const query = new URLSearchParams({ query: expression })
  const response = await fetch(`http://${address}/api/v1/query?${query}`)
  const body = (await response.json()) as { status: string; error?: string; data: { result: Sample[] } }
  if (body.status !== 'success') throw new Error(`${expression}: ${body.error}`)
  return body.data.result
}

const expressions = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const))

it('has rules that Prometheus accepts', async () => {
  const { stdout } = await promisify(execFile)('promtool', ['check', 'rules', 'deploy/prometheus/rules.yml'])
  expect(stdout).toContain('SUCCESS: 11 rules found')
})

it('alerts for an instance that is down, and if no instance is scraped', async () => {
  const alert = 'ALERTS{alertname="BroadgaugeDown", alertstate="firing"}'
  const unit = (instance: string, series: Record<string, string>) => ({
    input_series: Object.entries(series).map(([name, values]) => ({
      series: `up{job="broadgauge", instance="${name}"}`,
      values,
    })),
    promql_expr_test: [
      {
        expr: alert,
        eval_time: '3m',
        exp_samples: [{ labels: alert.replace('}', `, ${instance}job="broadgauge", severity="page"}`), value: 1 }],
      },
    ],
  })
  const tests = [unit('', {}), unit('instance="two", ', { one: '1x5', two: '0x5' })]
  const file = join(folder, 'down.json')
  writeFileSync(file, JSON.stringify({ rule_files: ['rules.yml'], tests }))
  const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', file])
  expect(stdout).toContain('SUCCESS')
})

it('has rules that Prometheus evaluates, and none fires for a healthy service', async () => {
  type Rule = { name: string; health: string; state?: string; lastError?: string }
  const read = async (): Promise<Rule[]> => {
    const body = (await (await fetch(`http://${address}/api/v1/rules`)).json()) as {
      data: { groups: { rules: Rule[] }[] }
    }
    return body.data.groups.flatMap(({ rules }) => rules)
  }
  // If Prometheus evaluates the rules before its first scrape, BroadgaugeDown is pending for a minute. The next
  // evaluation resets the alert.
  await until(async () => (await read()).every(({ health, state }) => health !== 'unknown' && state !== 'pending'))
  expect((await read()).filter(({ health, state }) => health !== 'ok' || (state ?? 'inactive') !== 'inactive')).toEqual(
    [],
  )
})

it.each(expressions)('draws %s: %s', async (_title, expression) => {
  await expect(ask(expression)).resolves.toBeInstanceOf(Array)
})

it('uses only metrics that the service has', async () => {
  const text = await (await fetch(`${service.addresses.operations}/metrics`)).text()
  const present = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? ''))
  const rules = readFileSync('deploy/prometheus/rules.yml', 'utf8')
  const documented = [
    ...readFileSync('docs/operations.md', 'utf8').matchAll(/^\| `(broadgauge_\w+)`\s+\| (histogram|counter|gauge)/gm),
  ]
  const named = [rules, ...expressions.map(([, expression]) => expression)]
    .flatMap((one) => [...one.matchAll(/\b((?:broadgauge|nodejs|process)_\w+)/g)].map(([, name = '']) => name))
    .map((name) => name.replace(/_(bucket|count|sum)$/, ''))
  expect([...new Set(named)].filter((name) => !present.has(name))).toEqual([])
  const own = [...present].filter((name) => name.startsWith('broadgauge_'))
  expect(documented.map(([, name = '']) => name).toSorted()).toEqual(own.toSorted())
})

it('exposes the counters of alerts from the start: without an initial zero there would be no increase', async () => {
  const text = await (await fetch(`${worker.operations}/metrics`)).text()
  const labels = (name: string): string[] =>
    [...text.matchAll(new RegExp(`^${name}{\\w+="([^"]+)"}`, 'gm'))].map(([, label = '']) => label).toSorted()
  expect(labels('broadgauge_responses_aborted_total')).toEqual([
    'caller-left',
    'caller-stalled',
    'engine-failed',
    'service-stopped',
  ])
  expect(labels('broadgauge_export_attempts_total')).toEqual(['failed', 'written'])
  const named = globSync('src/**/*.ts').flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/(?:'store-error', store: |\bstate\()'([^']+)'/g)].map(
      ([, name = '']) => name,
    ),
  )
  expect(labels('broadgauge_store_errors_total')).toEqual([...new Set(named)].toSorted())
})

it('checks the health of a worker as that of the service', async () => {
  expect((await fetch(`${worker.operations}/healthz`)).status).toBe(200)
  const { data } = (await (await fetch(`${worker.operations}/readyz`)).json()) as { data: object }
  expect(data).toEqual({ postgres: 'ready', clickhouse: 'ready', objects: 'ready' })
})

it('makes a worker refuse a port that is taken, and leave nothing open', async () => {
  const { port } = new URL(worker.operations)
  const settings = readSettings({ ...world.environment, BROADGAUGE_OPS_PORT: port })
  await expect(startWorker(settings, () => {})).rejects.toThrow(`cannot listen on 127.0.0.1 port ${port}`)
})

const firing = (alert: string): Promise<Sample[]> => ask(`ALERTS{alertname="${alert}", alertstate="firing"}`)

it('alerts for the first response that is cut because ClickHouse failed', { timeout: 60_000 }, async () => {
  const answer = await callStream(`${service.addresses.api}/failing`, { token: secret, body: { at: 300_000 } })
  expect(answer).toMatchObject({ status: 200, complete: false })
  await until(async () => (await firing('BroadgaugeAnswersCut')).length > 0)
})

it('alerts for failing exports, also if a worker writes them', { timeout: 60_000 }, async () => {
  for (let asked = 0; asked < 5; asked += 1) {
    const { status } = await post('/test_data_download', { test: 'ping', date: { from: '2026-01', to: '2026-01' } })
    expect(status).toBe(200)
  }
  await until(async () => (await firing('BroadgaugeExportsFail')).length > 0)
  const [alert] = await firing('BroadgaugeExportsFail')
  expect(alert?.metric).toMatchObject({ job: 'broadgauge', instance: new URL(worker.operations).host })
})
