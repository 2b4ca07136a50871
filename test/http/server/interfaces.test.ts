import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request } from 'node:http'
import { ok } from '../../../src/envelope/envelope.ts'
import { defineRoute } from '../../../src/http/define-route.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { runningMs } from '../../kit/running-time.ts'
import { openWorld, type World } from '../../kit/world.ts'

/** A route that runs until the test releases it. */
function held() {
  const entered = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const route = defineRoute('data', 'GET', '/slow', 'data:read', async () => {
    entered.resolve()
    await gate.promise
    return ok('done')
  })
  return { route, entered: entered.promise, letGo: gate.resolve }
}

let world: World
let good: string
let reader: string

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'acme')
  good = await token(world, 'acme')
  reader = await token(world, 'acme', ['metadata:read'])
})
afterAll(() => world.close())

const statusOf = async (url: string): Promise<number> => (await call(url, { token: good })).status

describe('base URLs', () => {
  it('puts each interface under its own path prefix', async () => {
    const { addresses } = await world.serve({
      BROADGAUGE_DATA_BASE_URL: '/data/',
      BROADGAUGE_METADATA_BASE_URL: 'https://ignored.example/meta',
    })
    expect(await statusOf(`${addresses.api}/data/tests`)).toBe(200)
    expect(await statusOf(`${addresses.api}/tests`)).toBe(404)
    expect(await statusOf(`${addresses.api}/meta/response-internal-server-error`)).toBe(404)
  })

  it('ignores a slash at the end of the base address, or of a path', async () => {
    const { addresses } = await world.serve({ BROADGAUGE_DATA_BASE_URL: '/data' })
    for (const path of ['/tests/', '//tests', '///tests//', '/tests/?kind=unit']) {
      expect([path, await statusOf(`${addresses.api}/data${path}`)]).toEqual([path, 200])
    }
    const missing = await call(`${addresses.api}/metadata/unit/1/`, { token: `Bearer ${reader}` })
    expect(missing.status).toBe(404)
    const found = world.observations.findLast((one) => one.kind === 'request-finished')
    expect(found).toMatchObject({ route: '/metadata/:field/:value' })
  })

  it('distinguishes interfaces by host name', async () => {
    const { addresses } = await world.serve({
      BROADGAUGE_DATA_BASE_URL: 'https://data.example.org',
      BROADGAUGE_METADATA_BASE_URL: 'https://meta.example.org/v',
    })
    expect(await statusWithHost(addresses.api, '/tests', 'data.example.org')).toBe(200)
    expect(await statusWithHost(addresses.api, '/tests', 'DATA.Example.org:443')).toBe(200)
    expect(await statusWithHost(addresses.api, '/tests', 'meta.example.org')).toBe(404)
    expect(await statusWithHost(addresses.api, '/v/response-internal-server-error', 'meta.example.org')).toBe(500)
    expect(await statusWithHost(addresses.api, '/response-internal-server-error', 'data.example.org')).toBe(404)
  })

  it('has an ingest listener without routes of the others', async () => {
    const { addresses } = await world.serve()
    expect(await statusOf(`${addresses.ingest}/tests`)).toBe(404)
  })
})

function statusWithHost(address: string, path: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${address}${path}`, { headers: { host, authorization: good } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('cross-origin requests', () => {
  const preflight = (origin: string) => ({
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
  })

  it('are off by default', async () => {
    const { addresses } = await world.serve()
    const response = await fetch(`${addresses.api}/tests`, preflight('https://app.example'))
    expect(response.status).toBe(405)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('are allowed for listed origins only, preflights without a token', async () => {
    const { addresses } = await world.serve({ BROADGAUGE_CORS_ORIGINS: 'https://app.example, https://other.example' })
    const response = await fetch(`${addresses.api}/tests`, preflight('https://app.example'))
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(response.headers.get('access-control-allow-headers')).toContain('Authorization')
    expect(response.headers.get('x-request-id')).not.toBeNull()
    const plain = await fetch(`${addresses.api}/tests`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example' },
    })
    expect(plain.status).toBe(405)
    const foreign = await fetch(`${addresses.api}/tests`, preflight('https://evil.example'))
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
    const real = await call(`${addresses.api}/tests`, { token: good, headers: { origin: 'https://other.example' } })
    expect(real.status).toBe(200)
    expect(real.headers.get('access-control-allow-origin')).toBe('https://other.example')
    expect(real.headers.get('access-control-expose-headers')).toContain('X-Request-Id')
  })
})

describe('request ids', () => {
  let service: Service
  beforeAll(async () => {
    service = await world.serve()
  })

  it('uses the caller’s id if it is harmless', async () => {
    const answer = await call(`${service.addresses.api}/tests`, {
      token: good,
      headers: { 'x-request-id': 'chart-7.a_b' },
    })
    expect(answer.headers.get('x-request-id')).toBe('chart-7.a_b')
    expect(world.observations).toContainEqual(
      expect.objectContaining({
        kind: 'request-finished',
        requestId: 'chart-7.a_b',
        caller: expect.objectContaining({ organisationKey: 'acme' }),
        status: 200,
      }),
    )
  })

  it.each(['has space', 'x'.repeat(65), '{"a":1}', "'; --"])('replaces %j by its own id', async (id) => {
    const answer = await call(`${service.addresses.api}/tests`, { token: good, headers: { 'x-request-id': id } })
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('stopping', () => {
  it('finishes running requests, accepts no new ones, and reports it on the operations port', async () => {
    const slow = held()
    const service: Service = await world.serve({}, [slow.route])
    const running = call(`${service.addresses.api}/slow`, { token: good })
    await slow.entered
    const stopped = service.stop('the test')
    const ready = await call(`${service.addresses.operations}/readyz`)
    expect([ready.status, ready.body['message']]).toEqual([503, 'The service is stopping.'])
    await expect(call(`${service.addresses.api}/tests`, { token: good })).rejects.toThrow('fetch failed')
    slow.letGo()
    const answer = await running
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
    await stopped
  })

  it('cuts responses that outlast the drain, visibly', async () => {
    const slow = held()
    const service = await world.serve({ BROADGAUGE_DRAIN_SECONDS: '0' }, [slow.route])
    const outcome = call(`${service.addresses.api}/slow`, { token: good }).catch(String)
    await slow.entered
    const startedAt = runningMs()
    await service.stop('the test')
    expect(runningMs() - startedAt).toBeLessThan(1_500)
    expect(await outcome).toContain('fetch failed')
    slow.letGo()
  })
})
