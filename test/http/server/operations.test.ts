import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { onDatabase } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let service: Service

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'acme')
  service = await world.serve()
})
afterAll(() => world.close())

const operations = (path: string) => `${service.addresses.operations}${path}`

it('is alive and ready when every store answers a query', async () => {
  expect((await call(operations('/healthz'))).status).toBe(200)
  const ready = await call(operations('/readyz'))
  expect(ready.status).toBe(200)
  expect(ready.body['data']).toEqual({ postgres: 'ready', clickhouse: 'ready', objects: 'ready' })
})

it.each([
  ['postgres', { BROADGAUGE_POSTGRES_URL: 'postgres://a:b@127.0.0.1:1/x' }],
  ['clickhouse', { BROADGAUGE_CLICKHOUSE_URL: 'http://127.0.0.1:1', BROADGAUGE_CLICKHOUSE_CLUSTER: 'any' }],
])('is not ready, within the deadline, if %s is unavailable', async (store, overrides) => {
  const blind = await world.serve(overrides)
  const startedAt = performance.now()
  const ready = await call(`${blind.addresses.operations}/readyz`)
  expect(performance.now() - startedAt).toBeLessThan(2_500)
  expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '5'])
  expect(ready.body['data']).toMatchObject({ [store]: 'unavailable' })
  expect((await call(`${blind.addresses.operations}/healthz`)).status).toBe(200)
})

it.each([
  ['is unavailable', { BROADGAUGE_S3_ENDPOINT: 'http://127.0.0.1:1' }],
  ['refuses us', { BROADGAUGE_S3_SECRET_ACCESS_KEY: 'wrong' }],
])('is ready although object storage %s, and reports it', async (_what, overrides) => {
  const filing = await world.serve(overrides)
  const ready = await call(`${filing.addresses.operations}/readyz`)
  expect(ready.status).toBe(200)
  expect(ready.body['data']).toEqual({ postgres: 'ready', clickhouse: 'ready', objects: 'unavailable' })
})

it('is not ready with wrong credentials, and does not report the store as unavailable', async () => {
  const blind = await world.serve({ BROADGAUGE_CLICKHOUSE_QUERY_PASSWORD: 'wrong' })
  expect((await call(`${blind.addresses.operations}/readyz`)).body['data']).toMatchObject({ clickhouse: 'failing' })
})

it.each([
  [
    'a role that row-level security does not bind',
    () => ({ BROADGAUGE_POSTGRES_URL: world.environment['BROADGAUGE_POSTGRES_ADMIN_URL'] ?? '' }),
  ],
  [
    'a database without the schema',
    () => ({ BROADGAUGE_POSTGRES_URL: onDatabase(world.environment['BROADGAUGE_POSTGRES_URL'] ?? '', 'postgres') }),
  ],
])('is not ready with %s', async (_what, overrides) => {
  const wrong = await world.serve(overrides())
  expect((await call(`${wrong.addresses.operations}/readyz`)).body['data']).toMatchObject({ postgres: 'failing' })
  await wrong.stop('the test')
})

it('counts requests by interface, route and status, and exposes no address', async () => {
  const good = await token(world, 'acme')
  await call(`${service.addresses.api}/tests?kind=unit`, { token: good })
  await call(`${service.addresses.api}/secret-path-0123`, { token: good })
  const response = await fetch(operations('/metrics'))
  const text = await response.text()
  expect(response.headers.get('content-type')).toContain('text/plain')
  expect(text).toMatch(
    /broadgauge_request_duration_seconds_count\{interface="data",method="GET",route="\/tests",status="200"\} 1/,
  )
  expect(text).toContain('broadgauge_postgres_connections_open')
  expect(text).toContain('process_cpu_seconds_total')
  expect(text).not.toContain('secret-path')
})

it('answers everything else with the envelope', async () => {
  const refused = await call(operations('/readyz'), { method: 'POST' })
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  expect((await call(operations('/nothing'))).body).toEqual({ code: 'NOT_FOUND', message: 'Not found' })
})
