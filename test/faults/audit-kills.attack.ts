import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findAuditedQueries } from '../../src/engine/postgres/operator/audit.ts'
import { openStreamWorld, type StreamWorld } from '../features/test-data/stream-world.ts'
import { attempt, pause } from './attempt.ts'
import { childService, type ChildService } from './child-service.ts'
import { newSeed, rollDice } from './dice.ts'

const answeredMin = process.env['BROADGAUGE_TEST_DEEP'] === '1' ? 1_000 : 200
const killsMin = 3
const askers = 8
const dice = rollDice(newSeed())
let streams: StreamWorld
let service: ChildService

beforeAll(async () => {
  streams = await openStreamWorld(500)
  service = await childService(streams.world.environment)
  await service.start()
})
afterAll(async () => {
  await service.kill()
  await streams.world.close()
})

const requests = [
  ['/test_data', () => streams.body],
  ['/metric_data', () => metricRequest('aggregate')],
  ['/metric_data', () => metricRequest('raw')],
] as const

const metricRequest = (chartType: string) => ({
  metric: 'httpget',
  chartType,
  aggregation: 'hourly',
  normalised: false,
  prefilter: false,
  time: { from: '2026-01-01 00:00', to: '2026-01-01 23:59:59' },
})

/** Sends queries, and reports the request id of each query that has a complete response. */
async function ask(goesOn: () => boolean, onAnswer: (requestId: string) => void): Promise<void> {
  for (let turn = 0; goesOn(); turn += 1) {
    const [path, body] = requests[turn % requests.length] ?? requests[0]
    const requestId = randomUUID()
    const answer = await attempt(`${service.address}${path}`, {
      method: 'POST',
      token: streams.token,
      headers: { 'content-type': 'application/json', 'x-request-id': requestId },
      body: JSON.stringify(body()),
    })
    if (answer?.status === 200) onAnswer(requestId)
    else await pause(20)
  }
}

it(
  `kills under load: each of ${answeredMin} answered queries is in the audit trail`,
  { timeout: 600_000 },
  async () => {
    const answered: string[] = []
    const goesOn = () => answered.length < answeredMin || kills < killsMin
    let kills = 0
    const asking = Promise.all(
      Array.from({ length: askers }, () => ask(goesOn, (requestId) => answered.push(requestId))),
    )
    while (goesOn()) {
      await pause(dice.between(500, 5_000))
      await service.kill()
      kills += 1
      await service.start()
    }
    await asking
    await service.kill()
    const now = Temporal.Now.instant()
    const rows = await streams.world.operate((operator) =>
      findAuditedQueries(operator, {
        organisation: null,
        token: null,
        requestId: null,
        traceId: null,
        endpoint: null,
        status: null,
        since: now.subtract({ hours: 1 }),
        until: now,
        rowsMax: 1_000_000,
      }),
    )
    const audited = new Set(rows.map(({ request_id }) => request_id))
    expect(kills).toBeGreaterThan(killsMin - 1)
    expect(answered.filter((requestId) => !audited.has(requestId))).toEqual([])
    expect(audited.size).toBe(rows.length)
  },
)
