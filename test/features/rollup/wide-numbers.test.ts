import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { ageResults, buildAll } from './build.ts'

const [most, least] = ['9223372036854775807', '-9223372036854775807']
const megabytes = (2 ** 64 - 2) / 1e6

let world: World
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox'])
  const agent = 'homes-whitebox'
  await storeFacts(world, 'network_usage', [
    { agent, dtime: '2026-01-05 12:00:00.000', wan_rx_bytes: most, sk_rx_bytes: least },
    { agent, dtime: '2026-01-06 13:00:00.000', wan_rx_bytes: least, sk_rx_bytes: most },
  ])
  // No instance runs, so the test itself marks the events as published and compacted.
  await runSql(world.superuserUrl, 'UPDATE metadata_events SET published = true, compacted_at = now(), evicted = true')
  await ageResults(world, ['network_usage'])
  await buildAll(world)
  // Only rollups can answer now.
  const { nodes, database, cluster } = world.engine('ADMIN')
  const table = cluster === null ? 'network_usage' : 'network_usage_shard'
  for (const node of nodes) await node.command({ query: `TRUNCATE TABLE ${database}.${table}` })
}, 120_000)
afterAll(() => world.close())

it.each([false, true])('rollups keep numbers of more than 64 bits (normalised: %s)', async (normalised) => {
  const { api } = (await world.serve()).addresses
  const answer = await call(`${api}/metric_data`, {
    method: 'POST',
    token: await token(world, 'acme'),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      metric: 'wanDown',
      chartType: 'aggregate',
      aggregation: 'total',
      normalised,
      prefilter: false,
      percentiles: 'none',
      intervals: 'results',
      time: { from: '2026-01-01 00:00', to: '2026-01-31 23:59:59' },
    }),
  })
  expect(answer.body).toMatchObject({
    data: [{ metricData: [{ metricValue: 0, sampleCount: 2, min: -megabytes, max: megabytes, stdDev: megabytes }] }],
  })
})
