import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openStream } from '../kit/stream-call.ts'
import { openStreamWorld, type StreamWorld } from '../features/test-data/stream-world.ts'
import { childService, type ChildService } from './child-service.ts'
import { newSeed, rollDice } from './dice.ts'

const times = process.env['BROADGAUGE_TEST_DEEP'] === '1' ? 20 : 3
const askers = 8
const dice = rollDice(newSeed())
let streams: StreamWorld
let service: ChildService

beforeAll(async () => {
  streams = await openStreamWorld(30_000)
  service = await childService({ ...streams.world.environment, BROADGAUGE_DRAIN_SECONDS: '35' })
})
afterAll(async () => {
  await service.kill()
  await streams.world.close()
})

type Request = { sentAt: number; outcome: 'whole' | 'cut' | 'unanswered' }

/**
 * Sends a request and takes up to five seconds to read its response. The response is so long that the service has to
 * wait for the test to read.
 */
async function ask(): Promise<Request> {
  const sentAt = performance.now()
  const secondsMax = dice.between(1, 5)
  try {
    const response = await openStream(`${service.address}/test_data`, { token: streams.token, body: streams.body })
    const endsAt = sentAt + secondsMax * 1_000
    try {
      for await (const _ of response) if (performance.now() < endsAt) await pause(25)
    } catch {
      return { sentAt, outcome: 'cut' }
    }
    return { sentAt, outcome: response.complete && response.statusCode === 200 ? 'whole' : 'cut' }
  } catch {
    return { sentAt, outcome: 'unanswered' }
  }
}

async function askOnAndOn(goesOn: () => boolean): Promise<Request[]> {
  const requests: Request[] = []
  while (goesOn()) requests.push(await ask())
  return requests
}

it.each(Array.from({ length: times }, (_, index) => index + 1))(
  'SIGTERM under load, time %i: no accepted request is cut, and the process ends within 10 s',
  { timeout: 120_000 },
  async () => {
    await service.start()
    let stopped = false
    const asking = Promise.all(Array.from({ length: askers }, () => askOnAndOn(() => !stopped)))
    await pause(dice.between(1_500, 4_000))
    const signalledAt = performance.now()
    await service.stop()
    const tookMs = performance.now() - signalledAt
    stopped = true
    const requests = (await asking).flat()
    const accepted = requests.filter(({ sentAt }) => sentAt < signalledAt)
    expect(requests.filter(({ outcome }) => outcome === 'cut')).toEqual([])
    expect(accepted.filter(({ outcome }) => outcome === 'whole').length).toBeGreaterThanOrEqual(askers)
    // If the test sent a request just before the stop, the service may not have accepted it.
    const unanswered = accepted.filter(({ outcome }) => outcome === 'unanswered')
    expect(unanswered.filter(({ sentAt }) => sentAt < signalledAt - 500)).toEqual([])
    expect(tookMs).toBeLessThan(10_000)
  },
)
