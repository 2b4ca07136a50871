import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { discardAnswer, type Asked } from '../../../bench/test-data/discarding-client.ts'
import { childService, type ChildService } from '../../faults/child-service.ts'
import { pause, until } from '../../faults/attempt.ts'
import { openStreamWorld, type StreamWorld } from './stream-world.ts'

/**
 * The service runs in its own process, so that the test can measure its memory. `node bench/test-data/main.ts` runs the
 * same measurement at full size.
 */
const isDeep = process.env['BROADGAUGE_TEST_DEEP'] === '1'

let stage: StreamWorld
let service: ChildService
let asked: Asked

beforeAll(async () => {
  stage = await openStreamWorld(isDeep ? 2_000_000 : 300_000)
  service = await childService(stage.world.environment)
  await service.start()
  asked = {
    url: `${service.address}/test_data`,
    headers: { Authorization: stage.token, 'Content-Type': 'application/json' },
    body: JSON.stringify(stage.body),
  }
}, 180_000)
afterAll(async () => {
  await service.stop()
  await stage.world.close()
})

const residentMegabytes = (): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${service.pid()}/status`, 'utf8'))?.[1]) / 1000

it('streams a response of any length in constant memory', async () => {
  await discardAnswer(asked).ended
  const before = residentMegabytes()
  let most = before
  const sampler = setInterval(() => (most = Math.max(most, residentMegabytes())), 20)
  const bytes = await discardAnswer(asked).ended
  clearInterval(sampler)
  expect(bytes).toBeGreaterThan((isDeep ? 2_000_000 : 300_000) * 400)
  expect(most - before).toBeLessThan(100)
}, 300_000)

const fastSeconds = async (): Promise<number> => {
  const startedAt = performance.now()
  await discardAnswer(asked).ended
  return (performance.now() - startedAt) / 1000
}

it('holds less than 2 MB for a caller that reads 10 KB a second, which slows no other caller', async () => {
  // Measure the fast caller alone and beside slow callers alternately, because other load on the machine changes from
  // minute to minute. A real slowdown would show each time.
  let ratio = Infinity
  for (let turn = 1; turn <= 4 && ratio >= 2; turn += 1) ratio = await timeBesideSlowCallers()
  // On a quiet machine the ratio differs from 1 by a few hundredths.
  expect(ratio).toBeLessThan(2)
}, 300_000)

/** The time that a fast caller takes beside ten slow callers, divided by the time that it takes alone. */
async function timeBesideSlowCallers(): Promise<number> {
  const alone = Math.min(await fastSeconds(), await fastSeconds(), await fastSeconds())
  const before = residentMegabytes()
  const callers = Array.from({ length: 10 }, () => discardAnswer(asked, 10_000))
  await until(async () => callers.every((caller) => caller.read() > 1_000), 60_000)
  await pause(5_000)
  expect((residentMegabytes() - before) / callers.length).toBeLessThan(2)
  const beside = Math.min(await fastSeconds(), await fastSeconds(), await fastSeconds())
  for (const caller of callers) caller.leave()
  return beside / alone
}

it.runIf(isDeep)(
  'disconnects a caller that reads nothing for 60 s, and no caller that reads a little',
  async () => {
    const near = await stage.world.serve()
    const there = { ...asked, url: `${near.addresses.api}/test_data` }
    const cuts = () =>
      stage.world.observations.flatMap((one) => (one.kind === 'request-finished' ? (one.cut ?? []) : []))
    const startedAt = performance.now()
    const callers = [discardAnswer(there, 0.001), discardAnswer(there, 100_000)]
    await until(async () => cuts().length > 0, 100_000, 100)
    expect(cuts()).toEqual(['caller-stalled'])
    expect(performance.now() - startedAt).toBeGreaterThan(60_000)
    await pause(90_000)
    expect(cuts()).toEqual(['caller-stalled'])
    for (const caller of callers) caller.leave()
  },
  300_000,
)
