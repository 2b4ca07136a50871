import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aggregations } from '../../../src/catalog/aggregations.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { isAllowedWith, visibleTo, type VisibleCatalog } from '../../../src/catalog/visible.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { rowsCounted, storeEveryTest, withOneConnection } from './every-test.ts'

let world: World
let service: Service
let authorization: string
const deep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const isSharded = Number(process.env['BROADGAUGE_TEST_SHARDS'] ?? 0) > 1
/**
 * The SQL of a statement depends on the metric and the aggregation. test/compile/metric/aggregate.test.ts reads scope and
 * range in the SQL of every pair with every split; this test checks what ClickHouse does. The ordinary run tries one in
 * three of the pairs. The selection differs between metrics, so that all metrics and all aggregations occur. The run with
 * two shards tries one in nine pairs.
 */
const oneIn = deep ? 1 : isSharded ? 9 : 3
/** ClickHouse plans a normalised statement five times as long, so the ordinary run tries only one for each metric. */
const normalisedOneIn = deep ? 2 : 4

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  for (const key of ['acme', 'other']) {
    await organisation(world, key)
    await panel(world, `${key}-homes`, key, ['whitebox', 'mobile'])
    // The first and the third time are at the ends of the requested range. The two times in the next statement are just
    // outside of the range.
    const dtimes = ['00:00:00.000', '13:30:00.000', '22:00:00.900'].map((time) => `2026-03-01 ${time}`)
    const outside = ['2026-02-28 23:59:59.999', '2026-03-01 22:00:01.000']
    await storeEveryTest(world, `${key}-homes`, [...dtimes, ...outside], withOneConnection)
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

// Ten rows are stored for each test. Three of them belong to the caller and are inside the range. A statement without
// its scope or its range would count more rows. The ordinary run rotates the splits, and the deep run tries every
// combination.
describe.each(visible.metrics.map(({ key }) => key))('%s', (key) => {
  const metric = visible.metrics.find((one) => one.key === key)
  const rows = metric === undefined ? 0 : rowsCounted(metric)
  const splits = visible.dimensions
    .filter((one) => metric !== undefined && isAllowedWith(one, metric))
    .map(({ id }) => id)

  const asked = aggregations.map((one, turn) => [one.key, turn] as const)
  it.each(asked.filter(([, turn]) => (turn + key.length) % oneIn === 0))(
    'by %s applies scope and time range',
    async (aggregation, turn) => {
      const turns = deep ? splits.map((_, index) => index) : [turn]
      for (const index of turns) {
        const normalised = ((deep ? index : key.length) + turn) % normalisedOneIn === 0
        const split = splits[(index + key.length) % splits.length]
        const request = { metric: key, aggregation, normalised, prefilter: index % 3 === 0, splits: [split] }
        expect(await sampleCount(request), JSON.stringify(request)).toBe(3 * rows)
      }
    },
  )
})
