import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from '../kit/call.ts'
import { organisation, panel, token } from '../kit/panels.ts'
import { openWorld, type World } from '../kit/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'regulator')
  await panel(world, 'national', 'regulator', ['whitebox'])
})
afterAll(() => world.close())

/** Where nobody listens. */
async function deadAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return `http://127.0.0.1:${port}`
}

it('answers every query, and is ready, while a node that others can answer for is away', async () => {
  const { addresses } = await world.serve({
    BROADGAUGE_CLICKHOUSE_URL: `${await deadAddress()},${world.environment['BROADGAUGE_CLICKHOUSE_URL']}`,
    BROADGAUGE_CLICKHOUSE_CLUSTER: world.environment['BROADGAUGE_CLICKHOUSE_CLUSTER'] ?? 'one',
  })
  const authorization = await token(world, 'regulator')
  const chart = { metric: 'httpget', chartType: 'aggregate', aggregation: 'total', normalised: false, prefilter: true }
  const bodies = [
    ['/metric_data', { ...chart, time: { from: '2026-04-01 00:00', to: '2026-04-02 00:00' } }],
    ['/test_data', { test: 'httpget', date: { from: '2026-04-01', to: '2026-04-02' } }],
  ] as const
  const headers = { 'content-type': 'application/json' }
  const asked = Array.from({ length: 6 }, () => bodies).flat()
  const answers = await Promise.all(
    asked.map(([path, body]) =>
      call(addresses.api + path, { method: 'POST', token: authorization, headers, body: JSON.stringify(body) }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 200))
  expect((await fetch(`${addresses.operations}/readyz`)).status).toBe(200)
})

it('is not ready while every node is away', async () => {
  const { addresses } = await world.serve({
    BROADGAUGE_CLICKHOUSE_URL: `${await deadAddress()},${await deadAddress()}`,
    BROADGAUGE_CLICKHOUSE_CLUSTER: 'one',
  })
  expect((await fetch(`${addresses.operations}/readyz`)).status).toBe(503)
  const authorization = await token(world, 'regulator')
  const body = JSON.stringify({ test: 'httpget', date: { from: '2026-04-01', to: '2026-04-02' } })
  const headers = { 'content-type': 'application/json' }
  const answer = await call(`${addresses.api}/test_data`, { method: 'POST', token: authorization, headers, body })
  expect(answer.status).toBe(503)
})
