import { afterAll, beforeAll, expect, it } from 'vitest'
import { discardAnswer } from '../../bench/test-data/discarding-client.ts'
import { sql, statement } from '../../src/base/sql.ts'
import { findPoints } from '../../src/engine/clickhouse/query/find-points.ts'
import { ok } from '../../src/envelope/envelope.ts'
import { defineRoute } from '../../src/http/define-route.ts'
import type { Service } from '../../src/serve/wiring/service.ts'
import { call } from '../kit/call.ts'
import { organisation, panel, token } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { openWorld, type World } from '../kit/world.ts'
import { wholeYear } from '../features/test-data/stream-world.ts'

/** Sends a response in one piece that is larger than all buffers between the service and the caller. */
const large = defineRoute('data', 'POST', '/large', 'data:read', async ({ stores }, caller, { admission }) => {
  const origin = await admission.beginQuery({ panels: [], range: wholeYear })
  await findPoints(caller, stores.clickhouse, statement(sql`SELECT 1`), origin)
  return ok('x'.repeat(30_000_000))
})

let world: World
let service: Service

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  service = await world.serve({ BROADGAUGE_ORGANISATION_QUERIES: '4' }, [large])
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox'])
})
afterAll(() => world.close())

it('frees the slot of a query when ClickHouse is done, however slowly the caller reads the response', async () => {
  const asked = {
    url: `${service.addresses.api}/large`,
    headers: { Authorization: await token(world, 'acme'), 'Content-Type': 'application/json' },
    body: '{}',
  }
  // Four queries may run concurrently. The test starts one more.
  const takers = Array.from({ length: 5 }, () => discardAnswer(asked, 1_000))
  await expect.poll(() => takers.map((one) => one.read() > 0), { timeout: 10_000 }).toEqual(takers.map(() => true))
  await expect.poll(() => runSql(world.superuserUrl, 'SELECT FROM running_queries'), { timeout: 5_000 }).toEqual([])
  const { body, url, headers } = asked
  expect((await call(url, { method: 'POST', headers, body })).status).toBe(200)
  for (const taker of takers) taker.leave()
  const cuts = () => world.observations.filter((one) => one.kind === 'request-finished' && one.cut === 'caller-left')
  await expect.poll(() => cuts().length, { timeout: 5_000 }).toBe(takers.length)
  await Promise.allSettled(takers.map(({ ended }) => ended))
  // Every request is reported exactly once, including those whose caller disconnected.
  expect(world.observations.filter((one) => one.kind === 'request-finished' && one.route === '/large')).toHaveLength(6)
}, 60_000)
