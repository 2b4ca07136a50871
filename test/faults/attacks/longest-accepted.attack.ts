import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { limits } from '../../../src/base/limits.ts'
import { readSettings } from '../../../src/serve/config.ts'
import { storeFacts } from '../../kit/facts.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { childService, type ChildService } from '../child-service.ts'
import { newSeed, rollDice } from '../dice.ts'
import { openAttackedWorld, type AttackedWorld } from './attacked-world.ts'
import { exchange } from './exchange.ts'
import { fillers, longPositions, type LongRequest } from './longest-accepted.ts'
import { openTally, sized } from './tally.ts'

/** Fillers tried at each position: one in the gate, chosen by the seed, all of them deep. */
const fillersEach = sized(1, fillers.length)
const quietForMs = 15_000
const eventLoopDelayMaxMs = 200
const p99RatioMax = 3
const seed = newSeed()
const tally = openTally('longest accepted', seed)

let attacked: AttackedWorld
let service: ChildService
let other: string

beforeAll(async () => {
  attacked = await openAttackedWorld()
  const { world } = attacked
  await organisation(world, 'other')
  other = await token(world, 'other')
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'offices', name: 'Offices', owner: 'other' })
    const rows = asLines([{ line: 2, row: agent({ agent_id: 'wb-0002', unit_id: '1002' }) }])
    await importAgents(operator, 'offices', rows, () => {})
  })
  await storeFacts(world, 'ping', [{ agent: 'wb-0002', dtime: '2026-01-05 00:00:00.000' }])
  service = await childService({ ...world.environment, BROADGAUGE_DRAIN_SECONDS: '5' })
  await service.start()
}, 120_000)
afterAll(async () => {
  await service.stop()
  await attacked.world.close()
}, 60_000)

const question = JSON.stringify({
  metric: 'ping',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: false,
  time: { from: '2026-01-01 00:00', to: '2026-01-31 00:00' },
})

type Asked = { readonly path: string; readonly body: string | null; readonly everyMs: number }

/** What another tenant asks all the while. A query takes the engine of a development machine a tenth of a second. */
const asked: readonly Asked[] = [
  { path: '/metrics', body: null, everyMs: 50 },
  { path: '/metric_data', body: question, everyMs: 250 },
]

/** The 99th percentile of milliseconds of each kind of request of the other tenant, from now until told to stop. */
function askSteadily(): () => Promise<number[]> {
  const times = asked.map((): Promise<number>[] => [])
  const ask = async ({ path, body }: Asked) => {
    const answer = await exchange(service.address, path, {
      method: body === null ? 'GET' : 'POST',
      headers: { authorization: other, ...(body === null ? {} : { 'content-type': 'application/json' }) },
      body: body === null ? null : Buffer.from(body),
    })
    if (answer?.status !== 200) tally.breach('Z8', `another tenant ${path}`, `${answer?.status} ${answer?.text}`)
    return answer?.milliseconds ?? Infinity
  }
  const timers = asked.map((one, index) => setInterval(() => times[index]?.push(ask(one)), one.everyMs))
  return () => {
    timers.forEach((timer) => clearInterval(timer))
    return Promise.all(times.map(async (all) => p99(await Promise.all(all))))
  }
}

const p99 = (times: readonly number[]): number =>
  times.toSorted((one, two) => one - two)[Math.floor(times.length * 0.99)] ?? Infinity

/** The service's longest event-loop delay since it was last asked; Prometheus' client resets it at each scrape. */
async function eventLoopDelayMs(): Promise<number> {
  const metrics = await exchange(service.operationsAddress, '/metrics', { method: 'GET', headers: {}, body: null })
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics?.text ?? '')?.[1] ?? NaN) * 1000
}

async function attack({ operation, path, headers, body }: LongRequest, name: string): Promise<void> {
  for (;;) {
    const answer = await exchange(operation.includes('ingest') ? service.ingestAddress : service.address, path, {
      method: operation.split(' ')[0] ?? 'GET',
      headers: { authorization: `Bearer ${attacked.everything}`, ...headers },
      body: body === null ? null : Buffer.from(body),
    })
    tally.count(String(answer?.status ?? 'closed'))
    if (answer?.status === 429) {
      await pause(1_000)
      continue
    }
    if (answer === null || answer.status >= 500)
      tally.breach('Z3', name, `${answer?.status} ${answer?.text.slice(0, 300)}`)
    return
  }
}

it('keeps the event loop and another tenant responsive', { timeout: 3_600_000 }, async () => {
  const { BROADGAUGE_BODY_BYTES_MAX: bytesMax } = readSettings(attacked.world.environment)
  const positions = longPositions(bytesMax, limits.headerBytesMax)
  expect(positions.length).toBeGreaterThan(100)
  const dice = rollDice(seed)
  const warm = askSteadily()
  await pause(2_000)
  await warm()
  const quiet = askSteadily()
  await pause(quietForMs)
  const quietP99 = await quiet()

  const slowest: { name: string; delayMs: number }[] = []
  let requests = 0
  const steady = askSteadily()
  await eventLoopDelayMs()
  for (const { name, requests: make } of positions) {
    const first = dice.between(0, fillers.length - 1)
    const chosen = Array.from({ length: fillersEach }, (_, index) => fillers[(first + index) % fillers.length] ?? 'a')
    const long = chosen.flatMap(make)
    requests += long.length
    for (const request of long) await attack(request, name)
    slowest.push({ name, delayMs: await eventLoopDelayMs() })
  }
  const attackedP99 = await steady()
  slowest.sort((one, two) => two.delayMs - one.delayMs)
  console.log(`${positions.length} positions, ${requests} requests; the slowest five:`)
  for (const { name, delayMs } of slowest.slice(0, 5)) console.log(`  ${delayMs.toFixed(0)} ms  ${name}`)
  for (const [index, { path }] of asked.entries()) {
    const [quietMs, attackedMs] = [quietP99[index] ?? NaN, attackedP99[index] ?? NaN]
    console.log(`another tenant's p99 of ${path}: quiet ${quietMs.toFixed(1)} ms, attacked ${attackedMs.toFixed(1)} ms`)
    if (!(attackedMs <= p99RatioMax * quietMs))
      tally.breach('Z8', `another tenant's p99 of ${path}`, `${attackedMs} ms`)
  }
  for (const { name, delayMs } of slowest.filter((one) => !(one.delayMs <= eventLoopDelayMaxMs)))
    tally.breach('Z8', `event loop: ${name}`, `${delayMs} ms`)
  tally.report(requests)
  expect(tally.sorts(), `seed ${seed}`).toEqual([])
})
