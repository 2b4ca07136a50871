import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { Observation } from '../../../src/base/observe.ts'
import { recordApiCalls, type NumberedCounts } from '../../../src/engine/postgres/audit/record-api-calls.ts'
import { openPostgres, type Postgres } from '../../../src/engine/postgres/postgres.ts'
import { countCalls } from '../../../src/jobs/audit/call-counts.ts'
import { openBreakingProxy, throughProxy, type BreakingProxy } from '../../faults/attacks/breaking-proxy.ts'
import { until } from '../../faults/attempt.ts'
import { organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let proxy: BreakingProxy
let postgres: Postgres

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'acme')
  await token(world, 'acme')
  const url = world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
  proxy = await openBreakingProxy(url)
  postgres = openPostgres({ url: throughProxy(url, proxy), connectionsMax: 2, observe: () => {} })
})
afterAll(async () => {
  await postgres.close()
  await proxy.close()
  await world.close()
})

const finished = (route: string): Observation => ({
  kind: 'request-finished',
  requestId: 'one',
  interface: 'api',
  method: 'GET',
  route,
  status: 200,
  milliseconds: 1,
  caller: { organisationId: 1, organisationKey: 'acme', tokenId: 1, tokenScopes: [] },
})

async function calls(route: string): Promise<number> {
  const text = 'SELECT coalesce(sum(calls), 0)::integer AS calls FROM api_calls WHERE endpoint = $1'
  const [row] = await runSql<{ calls: number }>(world.superuserUrl, text, [`GET ${route}`])
  return row?.calls ?? 0
}

it.each([
  ['after they were added', 'from the store'],
  ['before they arrived', 'to the store'],
] as const)('counts whose connection breaks %s are stored once', async (when, direction) => {
  const route = `/${when}`
  const seen: Observation[] = []
  const counts = countCalls(postgres, (observation) => void seen.push(observation))
  onTestFinished(() => counts.close())
  // Open the connection first, so that the statement fails, and not the handshake.
  await postgres.pool.query('SELECT 1')
  proxy.arm({ direction, after: 0, how: 'reset' })
  for (let index = 0; index < 3; index += 1) counts.observe(finished(route))
  await until(async () => seen.length > 0, 10_000)
  expect(proxy.disarm()).toBe(true)
  expect(seen).toMatchObject([{ kind: 'store-error', store: 'PostgreSQL' }])
  for (let index = 0; index < 4; index += 1) counts.observe(finished(route))
  await until(async () => (await calls(route)) >= 7, 10_000)
  await counts.close()
  expect(await calls(route)).toBe(7)
})

it('counts that are sent again while the first are still being stored wait for them', async () => {
  const route = '/overlapping'
  const one = { organisationId: 1, tokenId: 1, endpoint: `GET ${route}`, status: 200, day: '2026-01-05', calls: 5 }
  const sent: NumberedCounts = { instance: crypto.randomUUID(), number: 1, counts: [one] }
  await Promise.all([recordApiCalls(postgres, sent), recordApiCalls(postgres, sent)])
  expect(await calls(route)).toBe(5)
  await recordApiCalls(postgres, { ...sent, number: 2 })
  await recordApiCalls(postgres, sent)
  expect(await calls(route)).toBe(10)
})
