import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, panel, token, unitOf } from '../../kit/panels.ts'
import { settle } from '../../kit/settle.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let service: Service
let authorization: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'mine')
  await organisation(world, 'theirs')
  await panel(world, 'my-panel', 'mine', ['whitebox', 'cpe'])
  await panel(world, 'their-panel', 'theirs', ['whitebox', 'cpe'])
  await panel(world, 'my-last-panel', 'mine', ['whitebox'])
  const hours = Array.from({ length: 24 }, (_, hour) => `2026-01-05 ${String(hour).padStart(2, '0')}:00:00.000`)
  const agents = ['my-panel-whitebox', 'their-panel-whitebox', 'their-panel-cpe', 'my-last-panel-whitebox']
  // One insert makes one part, in which the results of both organisations share a granule.
  const rows = agents.flatMap((agent) => hours.map((dtime) => ({ agent, dtime, target: 'server', bytes_sec: 1_000 })))
  await storeFacts(world, 'httpget', rows)
  authorization = await token(world, 'mine')
  service = await world.serve()
  await settle(world)
}, 120_000)
afterAll(() => world.close())

async function rowsOf(path: string, request: object): Promise<unknown> {
  const { body } = await call(`${service.addresses.api}${path}`, {
    method: 'POST',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  expect(body).toMatchObject({ code: 'OK' })
  return (body['data'] as { rows: unknown }).rows
}

const metricRows = (more: object = {}) =>
  rowsOf('/metric_data/estimate', {
    metric: 'httpget',
    chartType: 'aggregate',
    aggregation: 'total',
    normalised: false,
    prefilter: false,
    time: { from: '2026-01-05', to: '2026-01-05' },
    ...more,
  })

it('does not tell how many results other organisations have in a shared granule', async () => {
  expect(await metricRows()).toBe(8_192)
  expect(await metricRows({ chartType: 'raw', aggregation: undefined })).toBe(8_192)
  const date = { from: '2026-01-05', to: '2026-01-05' }
  expect(await rowsOf('/test_data/estimate', { test: 'httpget', date })).toBe(8_192)
})

it.each([
  ['agent', (agent: string) => agent],
  ['unit', unitOf],
])('does not tell whether another organisation has an %s', async (id, valueOf) => {
  const rowsWith = (agent: string) =>
    metricRows({ filters: [{ id, filterType: 'include', filterValues: [valueOf(agent)] }] })
  expect(await rowsWith('my-panel-whitebox')).toBe(8_192)
  for (const agent of ['their-panel-whitebox', 'their-panel-cpe', 'nobodys']) expect(await rowsWith(agent)).toBe(0)
})
