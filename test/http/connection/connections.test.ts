import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ok } from '../../../src/envelope/envelope.ts'
import { defineRoute } from '../../../src/http/define-route.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { organisation, token } from '../../kit/panels.ts'
import { rawExchange } from '../../kit/raw-exchange.ts'
import { openWorld, type World } from '../../kit/world.ts'

/**
 * A route that takes 300 ms to answer, so that a second request can arrive on the same connection before the response.
 */
const slow = defineRoute('data', 'POST', '/slow', 'data:read', async () => {
  await new Promise((resolve) => setTimeout(resolve, 300))
  return ok('done')
})

let world: World
let service: Service
let good: string

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'acme')
  good = await token(world, 'acme')
  service = await world.serve({}, [slow])
})
afterAll(() => world.close())

const get = (extra = '') => `GET /tests HTTP/1.1\r\nHost: a\r\nAuthorization: ${good}\r\n${extra}\r\n`
const post = () =>
  `POST /slow HTTP/1.1\r\nHost: a\r\nAuthorization: ${good}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`
const statuses = (text: string): string[] => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '')

it.each([
  ['garbage', '\u0000\u0001garbage\r\n\r\n'],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['an expectation', 'GET /tests HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n'],
])('a pending response is sent before %s on the same connection ends it', async (_what, next) => {
  expect(statuses(await rawExchange(service.addresses.api, get() + next))[0]).toBe('200')
  const text = await rawExchange(service.addresses.api, post() + next)
  expect(statuses(text)).toEqual(['200'])
  expect(text).toContain('"data":"done"')
})

it('treats a connection that is reset within a request as a disconnected caller, unlike that of a health check', async () => {
  const { hostname, port } = new URL(service.addresses.api)
  const before = world.observations.length
  // As by the health check of a load balancer.
  const checking = connect(Number(port), hostname, () => checking.resetAndDestroy())
  const socket = connect(Number(port), hostname, () => {
    socket.write('GET / HT')
    setTimeout(() => socket.resetAndDestroy(), 500)
  })
  const failed = () => world.observations.slice(before).filter(({ kind }) => kind === 'request-failed')
  await expect.poll(failed).toMatchObject([{ code: 'BAD_REQUEST', detail: 'the caller hung up' }])
})

it('answers several requests on one connection in their order', async () => {
  const text = await rawExchange(service.addresses.api, get() + post() + get('Connection: close\r\n'))
  expect(statuses(text)).toEqual(['200', '200', '200'])
  expect(text.indexOf('"data":"done"')).toBeGreaterThan(text.indexOf('"data":[]'))
})

it.each([
  ['no Host', `GET /tests HTTP/1.1\r\nAuthorization: TOKEN\r\nConnection: close\r\n\r\n`],
  [
    'two Host headers',
    `GET /tests HTTP/1.1\r\nHost: a\r\nHost: b\r\nAuthorization: TOKEN\r\nConnection: close\r\n\r\n`,
  ],
  [
    'two tokens',
    `GET /tests HTTP/1.1\r\nHost: a\r\nAuthorization: TOKEN\r\nAuthorization: x\r\nConnection: close\r\n\r\n`,
  ],
])('answers 400 with the envelope to %s', async (_what, request) => {
  const text = await rawExchange(service.addresses.api, request.replace('TOKEN', good))
  expect(statuses(text)).toEqual(['400'])
  expect(text).toMatch(/x-request-id: /i)
  expect(text).toContain('"code":"BAD_REQUEST"')
})

it('closes a connection whose body it does not read, so that such a caller cannot delay a stop', async () => {
  const half = 'POST /tests HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"a'
  const text = await rawExchange(service.addresses.api, half)
  expect(statuses(text)).toEqual(['405'])
  expect(text.toLowerCase()).toContain('connection: close')
})

it("logs what the parser refuses with the caller's request id, and a disconnect without a warning", async () => {
  const text = await rawExchange(service.addresses.api, 'NONSENSE\r\n\r\n')
  const id = /x-request-id: (\S+)/i.exec(text)?.[1]
  expect(world.observations).toContainEqual(
    expect.objectContaining({ kind: 'request-failed', requestId: id, code: 'BAD_REQUEST' }),
  )

  const { hostname, port } = new URL(service.addresses.api)
  const before = world.observations.length
  const socket = connect(Number(port), hostname, () => {
    socket.write(post().slice(0, -1))
    setTimeout(() => socket.destroy(), 100)
  })
  await new Promise((resolve) => setTimeout(resolve, 600))
  const since = world.observations.slice(before)
  expect(since.filter((one) => one.kind === 'request-failed' && one.code === 'UNKNOWN_ERROR')).toEqual([])
})

it.each([
  ['ends', (socket: Socket) => socket.end()],
  ['is cut', (socket: Socket) => socket.destroy()],
  ['turns into garbage', (socket: Socket) => socket.write('garbage')],
])('a request ends as soon as its body %s half-way', async (_how, breakOff) => {
  const { hostname, port } = new URL(service.addresses.api)
  const before = world.observations.length
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    `POST /slow HTTP/1.1\r\nHost: a\r\nAuthorization: ${good}\r\nContent-Type: application/json\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n2\r\n{"\r\n`,
  )
  await new Promise((resolve) => setTimeout(resolve, 200))
  breakOff(socket)
  const over = () =>
    world.observations.slice(before).filter((one) => one.kind === 'request-failed' && one.route === '/slow')
  await expect.poll(over, { timeout: 5_000 }).toHaveLength(1)
  socket.destroy()
})

it('logs no address, not even one that cannot be decoded', async () => {
  await rawExchange(
    service.addresses.api,
    `GET /metadata/mac/0200AA%ZZ?token=${good} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  )
  const said = JSON.stringify(world.observations, (_key, value: unknown) =>
    value instanceof Error ? undefined : value,
  )
  expect(said).not.toContain('0200AA')
  expect(said).not.toContain(good)
})
