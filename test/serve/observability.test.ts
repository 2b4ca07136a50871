import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../src/serve/service.ts'
import { call } from '../kit/call.ts'
import { organisation, panel, token } from '../kit/panels.ts'
import { openWorld, type World } from '../kit/world.ts'

/** A real Prometheus scrapes the service and evaluates what an operator gets: the rules and the dashboard. */
let world: World
let service: Service
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
  service = await world.serve()
  await call(`${service.addresses.api}/metric_data`, {
    method: 'POST',
    token: await token(world, 'acme'),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      metric: 'httpget',
      chartType: 'aggregate',
      aggregation: 'daily',
      normalised: false,
      prefilter: false,
      time: { from: '-1 days', to: 'now' },
    }),
  })
  cpSync('deploy/prometheus/rules.yml', join(folder, 'rules.yml'))
  const target = new URL(service.addresses.operations).host
  const configuration = readFileSync('deploy/prometheus/prometheus.yml', 'utf8')
    .replace('127.0.0.1:8082', target)
    .replace('15s', '1s\n  evaluation_interval: 1s')
  writeFileSync(join(folder, 'prometheus.yml'), configuration)
  address = `127.0.0.1:${await freePort()}`
  prometheus = spawn(
    'prometheus',
    [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`],
    { stdio: 'ignore' },
  )
  await until(async () => (await ask('up{job="broadgauge"}'))[0]?.value[1] === '1')
})
afterAll(async () => {
  prometheus.kill('SIGKILL')
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await condition().catch(() => false)) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('Prometheus did not see the service')
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

it('has rules Prometheus takes', async () => {
  const { stdout } = await promisify(execFile)('promtool', ['check', 'rules', 'deploy/prometheus/rules.yml'])
  expect(stdout).toContain('SUCCESS: 11 rules found')
})

it('has rules that Prometheus evaluates, and none of them fires on a healthy service', async () => {
  type Rule = { name: string; health: string; state?: string; lastError?: string }
  const read = async (): Promise<Rule[]> => {
    const body = (await (await fetch(`http://${address}/api/v1/rules`)).json()) as {
      data: { groups: { rules: Rule[] }[] }
    }
    return body.data.groups.flatMap(({ rules }) => rules)
  }
  await until(async () => (await read()).every(({ health }) => health !== 'unknown'))
  expect((await read()).filter(({ health, state }) => health !== 'ok' || (state ?? 'inactive') !== 'inactive')).toEqual(
    [],
  )
})

it.each(expressions)('draws %s: %s', async (_title, expression) => {
  await expect(ask(expression)).resolves.toBeInstanceOf(Array)
})

it('names no figure the service does not have', async () => {
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
