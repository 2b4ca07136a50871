import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aggregations } from '../../../src/catalog/aggregations.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { canBeAskedWith, visibleTo, type VisibleCatalog } from '../../../src/catalog/visible.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { storeEveryTest } from './every-test.ts'

let world: World
let service: Service
let authorization: string
const deep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const isSharded = Number(process.env['BROADGAUGE_TEST_SHARDS'] ?? 0) > 1
/**
 * A statement is put together of a metric and an aggregation: a third of the pairs, others for each metric, has all of both.
 * Two shards get a third of these.
 */
const oneIn = deep ? 1 : isSharded ? 9 : 3

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  for (const key of ['acme', 'other']) {
    await organisation(world, key)
    await panel(world, `${key}-homes`, key, ['whitebox', 'mobile'])
    // Both ends are inside; a second later, and a second earlier, are not.
    const dtimes = ['00:00:00.000', '13:30:00.000', '22:00:00.900'].map((time) => `2026-03-01 ${time}`)
    await storeEveryTest(world, `${key}-homes`, [...dtimes, '2026-02-28 23:59:59.999', '2026-03-01 22:00:01.000'])
  }
  authorization = await token(world, 'acme')
  service = await world.serve()
}, 120_000)
afterAll(() => world.close())

const visible: VisibleCatalog = visibleTo(
  { panels: [], kinds: ['whitebox', 'mobile'], tests: 'all', metrics: 'all', customFields: [], erased: [] },
  catalog,
)

async function sampleCount(request: Record<string, unknown>): Promise<number> {
  const answer = await call(`${service.addresses.api}/metric_data`, {
    method: 'POST',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      chartType: 'aggregate',
      time: { from: '2026-03-01 00:00', to: '2026-03-01 22:00:00' },
      ...request,
    }),
  })
  expect(answer.body, JSON.stringify(request)).toMatchObject({ code: 'OK' })
  const data = answer.body['data'] as { metricData: { sampleCount: number }[] }[]
  return data.flatMap(({ metricData }) => metricData).reduce((sum, one) => sum + one.sampleCount, 0)
}

// Three of the fifteen rows stored are the caller's and in time: a statement that lost its scope or its range would count
// more. In the ordinary run splits take turns; the deep run has every combination.
describe.each(visible.metrics.map(({ key }) => key))('%s', (key) => {
  const metric = visible.metrics.find((one) => one.key === key)
  const splits = visible.dimensions
    .filter((one) => metric !== undefined && canBeAskedWith(one, metric))
    .map(({ id }) => id)

  const asked = aggregations.map((one, turn) => [one.key, turn] as const)
  it.each(asked.filter(([, turn]) => (turn + key.length) % oneIn === 0))(
    'by %s holds scope and time',
    async (aggregation, turn) => {
      const turns = deep ? splits.map((_, index) => index) : [turn]
      for (const index of turns) {
        const normalised = (index + turn) % 2 === 0
        const split = splits[(index + key.length) % splits.length]
        const request = { metric: key, aggregation, normalised, prefilter: index % 3 === 0, splits: [split] }
        expect(await sampleCount(request), JSON.stringify(request)).toBe(3)
      }
    },
  )
})
