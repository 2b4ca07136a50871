/**
 * Cuts PostgreSQL and ClickHouse off, each in two ways, and heals them: node health.ts DEMO_JSON CONTAINER ADDRESS…. Measures until
 * the health check of the image reports each change for CONTAINER, until /readyz of each address does, and until the service
 * answers again. Fails if something takes more than 10 s after healing, or if /healthz fails meanwhile.
 *
 * Podman needs systemd to repeat a health check, so this program repeats it by Docker's rules.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { createClient } from '../../clients/typescript/src/index.ts'

type Demo = { dataBaseUrl: string; tokens: { data: string } }
type Check = { Interval: number; Timeout: number; Retries?: number }

const [file = '', container = '', ...addresses] = process.argv.slice(2)
const demo: Demo = JSON.parse(readFileSync(file, 'utf8'))
const healedWithinMs = 10_000
const noticedWithinMs = 40_000
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const run = async (...command: string[]): Promise<string> =>
  (await promisify(execFile)(command[0] ?? '', command.slice(1))).stdout.trim()

const inspected = await run('podman', 'inspect', '--format', '{{json .Config.Healthcheck}}', container)
const { Interval: intervalNs, Timeout: timeoutNs, Retries: retries = 3 }: Check = JSON.parse(inspected)
const check = { intervalMs: intervalNs / 1e6, timeoutMs: timeoutNs / 1e6, retries: retries === 0 ? 3 : retries }
let isHealthy = true
let isOver = false

/** A number of failures in a row makes the container unhealthy, one success makes it healthy. */
async function repeatHealthCheck(): Promise<void> {
  for (let failures = 0; !isOver; await pause(check.intervalMs)) {
    const succeeded = await promisify(execFile)('podman', ['healthcheck', 'run', container], {
      timeout: check.timeoutMs,
    }).then(
      () => true,
      () => false,
    )
    failures = succeeded ? 0 : failures + 1
    if (succeeded) isHealthy = true
    else if (failures >= check.retries) isHealthy = false
  }
}

const statusOf = async (url: string): Promise<number> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
  await response?.text()
  return response?.status ?? 0
}

/** Milliseconds until `isTrue` holds for all addresses. */
async function until(what: string, withinMs: number, isTrue: () => boolean | Promise<boolean>): Promise<number> {
  const startedAt = performance.now()
  while (!(await isTrue())) {
    if (performance.now() - startedAt > withinMs) throw new Error(`${what}: not within ${withinMs / 1000} s`)
    await pause(50)
  }
  return performance.now() - startedAt
}

const every = async (path: string, status: number): Promise<boolean> =>
  (await Promise.all(addresses.map((address) => statusOf(`${address}${path}`)))).every((one) => one === status)

const client = createClient({ url: demo.dataBaseUrl, token: demo.tokens.data, retries: 0 })
const asked = {
  metric: 'latency',
  aggregation: 'daily',
  normalised: false,
  prefilter: true,
  time: { from: '-1 day', to: 'now' },
} as const
const answers = (): Promise<boolean> =>
  client.metricData(asked).then(
    () => true,
    () => false,
  )

type Cut = { name: string; cut: () => Promise<unknown>; heal: () => Promise<unknown> }

async function cutsOf(store: string): Promise<Cut[]> {
  const pid = await run('podman', 'inspect', '--format', '{{.State.Pid}}', store)
  const link = (state: string) => run('nsenter', '--net', '--target', pid, 'ip', 'link', 'set', 'eth0', state)
  return [
    { name: 'paused', cut: () => run('podman', 'pause', store), heal: () => run('podman', 'unpause', store) },
    { name: 'unplugged', cut: () => link('down'), heal: () => link('up') },
  ]
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`

async function measure(store: string, { name, cut, heal }: Cut): Promise<void> {
  await until('all is well', 30_000, async () => isHealthy && (await every('/readyz', 200)) && (await answers()))
  await cut()
  const [unready, unhealthy] = await Promise.all([
    until('not ready', noticedWithinMs, () => every('/readyz', 503)),
    until('unhealthy', noticedWithinMs, () => !isHealthy),
  ])
  if (!(await every('/healthz', 200))) throw new Error('/healthz failed, so Kubernetes would restart the instance')
  await heal()
  const [ready, healthy, answered] = await Promise.all([
    until('ready', healedWithinMs, () => every('/readyz', 200)),
    until('healthy', healedWithinMs, () => isHealthy),
    until('a chart', healedWithinMs, answers),
  ])
  console.log(
    `  ${store} ${name}: /readyz 503 after ${seconds(unready)}, unhealthy after ${seconds(unhealthy)}; healed: ` +
      `/readyz 200 after ${seconds(ready)}, healthy after ${seconds(healthy)}, a chart after ${seconds(answered)}`,
  )
}

const repeating = repeatHealthCheck()
try {
  for (const store of ['demo_postgres_1', 'demo_clickhouse_1'])
    for (const cut of await cutsOf(store)) await measure(store, cut)
} finally {
  isOver = true
}
await repeating
