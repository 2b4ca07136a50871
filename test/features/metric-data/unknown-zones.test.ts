import { afterAll, beforeAll, expect, it } from 'vitest'
import { zoneOffsets } from '../../../src/compile/metric/clock/zone-offsets.ts'
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
  await storeFacts(world, 'ping', [{ agent: 'homes-whitebox', dtime: '2026-01-05 12:00:00.000', rtt_avg: 12_000 }])
}, 60_000)
afterAll(() => world.close())

it('a zone that only a newer version knows affects only the results in it', { timeout: 60_000 }, async () => {
  const secret = await token(world, 'acme')
  const { api } = (await world.serve()).addresses
  const ask = () =>
    call(`${api}/metric_data`, {
      method: 'POST',
      token: secret,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        metric: 'ping',
        chartType: 'aggregate',
        aggregation: 'daily',
        normalised: false,
        prefilter: false,
        time: { from: '2026-01-01 00:00', to: '2026-01-31 23:59:59' },
      }),
    })
  await runSql(world.superuserUrl, `INSERT INTO zones (name) VALUES ('Mars/Base')`)
  expect((await ask()).status).toBe(200)
  await runSql(world.superuserUrl, `UPDATE spans SET zone_id = (SELECT id FROM zones WHERE name = 'Mars/Base')`)
  await reloadDictionaries(world.engine('DICTIONARY'), 'names', 'large', 'small')
  const refused = await ask()
  expect(refused).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } })
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(world.observations).toContainEqual(
    expect.objectContaining({ detail: 'this version of the service does not know the time zone of an agent' }),
  )
})

it('names the zones it does not know', () => {
  const zones = [
    { id: 1, name: 'Mars/Base' },
    { id: 2, name: 'Europe/Paris' },
  ]
  expect(zoneOffsets(zones, 1_750_000_000, 1_750_100_000)).toMatchObject({ unknown: [1], atStart: [0, 0, 7200] })
})
