import { afterAll, beforeAll, expect, it } from 'vitest'
import { aggregations } from '../../src/catalog/aggregations.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import type { Service } from '../../src/serve/service.ts'
import { call } from '../kit/call.ts'
import { storeFacts } from '../kit/facts.ts'
import { organisation, panel, token } from '../kit/panels.ts'
import { openWorld, type World } from '../kit/world.ts'

let world: World
let service: Service
let authorization: string

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox', 'mobile'])
  authorization = await token(world, 'acme')
  service = await world.serve()
  for (const { key, kinds, columns } of catalog.tests) {
    const agent = kinds.includes('whitebox') ? 'homes-whitebox' : 'homes-mobile'
    const numbers = Object.fromEntries(
      columns.filter(({ type }) => type !== 'text').map(({ name }, index) => [name, 100_000 + index]),
    )
    const small = Object.fromEntries(
      columns.filter(({ type }) => type === 'uint8' || type === 'uint16').map(({ name }) => [name, 4]),
    )
    const texts = Object.fromEntries(columns.filter(({ type }) => type === 'text').map(({ name }) => [name, 'text']))
    await storeFacts(
      world,
      key,
      [1, 2, 3].map((hour) => ({
        agent,
        dtime: `2026-03-0${hour} 0${hour}:00:00.000`,
        ...numbers,
        ...small,
        ...texts,
        ...(columns.some(({ name }) => name === 'error') ? { error: null } : {}),
      })),
    )
  }
}, 120_000)
afterAll(() => world.close())

const ask = (body: Record<string, unknown>) =>
  call(`${service.addresses.api}/metric_data`, {
    method: 'POST',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      chartType: 'aggregate',
      normalised: false,
      prefilter: false,
      time: { from: '2026-03-01 00:00', to: '2026-03-31 00:00' },
      ...body,
    }),
  })

it.each(catalog.metrics.map(({ key }) => key))('answers %s, plain and normalised', async (metric) => {
  const every = metric === 'httpget' || metric === 'packetLoss'
  for (const { key: aggregation } of aggregations.filter(({ key }) => every || key === 'total')) {
    for (const normalised of [false, true]) {
      const { status, body } = await ask({ metric, aggregation, normalised })
      expect({ status, code: body['code'] }).toEqual({ status: 200, code: 'OK' })
      expect(body).toHaveProperty('data.0.metricData.0.agentCount', 1)
      expect(body).toHaveProperty('data.0.metricData.0.median')
    }
  }
})
