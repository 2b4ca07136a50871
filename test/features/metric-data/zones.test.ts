import { afterAll, beforeAll, expect, it } from 'vitest'
import { reloadDictionaries } from '../../../src/engine/clickhouse/dictionaries/reload-dictionaries.ts'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox'])
  const times = ['2024-07-05 12:00:00.000', '2024-12-05 12:00:00.000', '2025-07-05 12:00:00.000']
  await storeFacts(
    world,
    'ping',
    times.map((dtime) => ({ agent: 'homes-whitebox', dtime, rtt_avg: 12_000 })),
  )
}, 60_000)
afterAll(() => world.close())

/**
 * A zone that the tz database contains since 2025. Until 20 March 2025 its rules are those of Santiago, with summer
 * time. After that its offset is always -03:00.
 */
const zone = 'America/Coyhaique'

it('an agent may have a zone that ClickHouse does not know, and its local times are right', async () => {
  const secret = await token(world, 'acme', ['data:read', 'metadata:write'])
  const { api } = (await world.serve()).addresses
  const send = (method: string, path: string, body: unknown) =>
    call(`${api}${path}`, {
      method,
      token: `Bearer ${secret}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const change = { agent: { agent_id: 'homes-whitebox' }, metadata: { timezone: zone } }
  expect(await send('PUT', '/metadata', change)).toMatchObject({ status: 200 })
  // Set the zone for all days directly, because a change can be backdated by at most 28 days.
  await runSql(world.superuserUrl, `UPDATE spans SET zone_id = (SELECT id FROM zones WHERE name = '${zone}')`)
  await reloadDictionaries(world.engine('DICTIONARY'), 'names', 'large', 'small')
  const answer = await send('POST', '/metric_data', {
    metric: 'ping',
    chartType: 'aggregate',
    aggregation: 'hourly',
    normalised: false,
    prefilter: false,
    time: { from: '2024-01-01 00:00', to: '2026-01-01 00:00' },
  })
  const [{ metricData } = { metricData: [] }] = answer.body['data'] as { metricData: { dtime: string }[] }[]
  expect(metricData.map(({ dtime }) => dtime)).toEqual([
    '2024-07-05T08:00:00',
    '2024-12-05T09:00:00',
    '2025-07-05T09:00:00',
  ])
})
