import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { pause } from '../attempt.ts'
import { childService, type ChildService } from '../child-service.ts'
import { newSeed } from '../dice.ts'
import { canBalance, startBalancer, type Balancer, type Instance } from './rolling-restart/balancer.ts'
import { openTally, sized } from './tally.ts'
import { unhandled } from './zeros.ts'

/** How long the load lasts. */
const seconds = sized(30, 300)
/** Two instances serve. The third is the one that a rolling update starts before it stops another. */
const names = ['first', 'second', 'third']
const folder = mkdtempSync(join(tmpdir(), 'broadgauge-rolling-'))
let world: World
let instances: (Instance & { readonly service: ChildService })[]
let balancer: Balancer
let tokens: Record<'tokens' | 'otherTokens', { data: string; metadata: string }>

beforeAll(async () => {
  if (!canBalance) return
  world = await openWorld({ clickhouse: true })
  for (const key of ['regulator', 'isp']) await organisation(world, key)
  const until = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 }).toString()
  const options = { days: 3, until, tests: ['latency'] }
  await synthPanel(world, { ...options, agents: 500, owner: 'regulator', panel: 'national' })
  await synthPanel(world, { ...options, agents: 50, owner: 'isp', panel: 'lab' })
  const tokensOf = async (key: string) => ({
    data: await token(world, key),
    metadata: await token(world, key, ['metadata:read', 'metadata:write']),
  })
  tokens = { tokens: await tokensOf('regulator'), otherTokens: await tokensOf('isp') }
  // The limits of callers are those of an installation, and the instances stop as the chart makes them.
  const environment = {
    ...world.environment,
    BROADGAUGE_ROLLUPS: 'true',
    BROADGAUGE_SHUTDOWN_DELAY_SECONDS: '5',
    BROADGAUGE_DRAIN_SECONDS: '35',
    BROADGAUGE_LOG_LEVEL: 'info',
  }
  instances = await Promise.all(
    names.map(async (name) => {
      const service = await childService(environment)
      const portOf = (address: string) => Number(new URL(address).port)
      return { name, service, apiPort: portOf(service.address), operationsPort: portOf(service.operationsAddress) }
    }),
  )
  await Promise.all(instances.slice(0, 2).map(({ service }) => service.start()))
  balancer = await startBalancer(instances)
  for (const [index, instance] of instances.entries()) await balancer.until(instance, index < 2 ? 'UP' : 'DOWN')
}, 180_000)
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await balancer?.close()
  await Promise.all((instances ?? []).map(({ service }) => service.stop()))
  await world?.close()
}, 120_000)

it.skipIf(!canBalance)(
  `for ${seconds} s, no request of 50 a second fails while instances are replaced in turn`,
  { timeout: (seconds + 120) * 1_000 },
  async () => {
    const tally = openTally('rolling restarts behind a load balancer', newSeed())
    const demo = join(folder, 'demo.json')
    writeFileSync(demo, JSON.stringify({ dataBaseUrl: balancer.address, ...tokens }))
    let isOver = false
    const load = runLoad(demo).finally(() => (isOver = true))
    await pause(2_000)
    for (let turn = 0; !isOver; turn += 1) {
      const [old, next] = [instances[turn % 3], instances[(turn + 2) % 3]]
      if (old === undefined || next === undefined) throw new Error('there are three instances')
      const startedAt = performance.now()
      await next.service.start()
      await balancer.until(next, 'UP')
      const usedAt = performance.now()
      await old.service.stop()
      await balancer.until(old, 'DOWN')
      const took = [usedAt - startedAt, performance.now() - usedAt].map((ms) => `${(ms / 1000).toFixed(1)} s`)
      console.log(`${next.name} gets requests after ${took[0]}, then ${old.name} stops within ${took[1]}`)
      tally.count('instances replaced')
    }
    const { failed, said } = await load
    console.log(said)
    if (failed) tally.breach('Z7', 'a request failed', said)
    for (const [line, times] of failuresIn(instances.map(({ service }) => service.said()).join('\n')))
      console.log(`${times} times in the log: ${line}`)
    for (const line of balancer.repeated()) {
      tally.count('requests that HAProxy repeated')
      console.log(line)
    }
    for (const { service } of instances) {
      if (service.endedItself() > 0) tally.breach('Z7', 'the process exited', service.said().slice(-2_000))
      if (unhandled.test(service.said())) tally.breach('Z7', 'unhandled rejection', service.said().slice(-2_000))
    }
    tally.report(seconds * 50)
    expect(tally.sorts()).toEqual([])
    expect(tally.counted('instances replaced')).toBeGreaterThan(1)
  },
)

/** What the instances logged of requests that they refused, and how often: it tells overload from a defect. */
function failuresIn(log: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const line of log.split('\n').filter((text) => text.includes('"request-failed"'))) {
    const { code, detail, error } = JSON.parse(line) as { code: string; detail?: string; error?: { message: string } }
    const what = [code, detail, error?.message].filter((part) => part !== undefined).join(', ')
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return counts
}

/** The load runs in a process of its own, so that what this process does delays no request. */
const runLoad = (demo: string): Promise<{ failed: boolean; said: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['.ci/containers/load.ts', demo, String(seconds)], (error, stdout, stderr) =>
      resolve({ failed: error !== null, said: stdout + stderr }),
    )
  })
