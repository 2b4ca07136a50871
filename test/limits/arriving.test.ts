import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openDoorway } from '../../src/http/doorway.ts'
import { call, type Answer } from '../kit/call.ts'
import { organisation, panel, token } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { openWorld, type World } from '../kit/world.ts'

const acme = { organisationId: 1 }
const other = { organisationId: 2 }

describe('the doorway', () => {
  const arrive = (doorway: ReturnType<typeof openDoorway>, scope: typeof acme, count: number) =>
    Array.from({ length: count }, () => {
      const arrival = doorway(false)
      arrival.belongTo(scope)
      return arrival
    })

  it('lets one organisation have half of the places, and another a quarter then', () => {
    const doorway = openDoorway(() => null)
    const own = arrive(doorway, acme, 128)
    const refusal = {
      code: 'TOO_MANY_REQUESTS',
      headers: { 'retry-after': '1', 'ratelimit-limit': '64', 'ratelimit-remaining': '0', 'ratelimit-reset': '1' },
    }
    // More than there are places: whoever is refused has none.
    for (let times = 0; times < 300; times += 1)
      expect(() => arrive(doorway, acme, 1)).toThrow(expect.objectContaining(refusal))
    arrive(doorway, other, 64)
    expect(() => arrive(doorway, other, 1)).toThrow(expect.objectContaining(refusal))
    for (const { through } of own.slice(0, 65)) {
      through()
      through()
    }
    arrive(doorway, acme, 1)
    arrive(doorway, { organisationId: 3 }, 64)
    expect(() => arrive(doorway, acme, 1)).toThrow(expect.objectContaining(refusal))
  })

  it('does not count a request whose caller left before it was known whose it is', () => {
    const doorway = openDoorway(() => null)
    for (let times = 0; times < 300; times += 1) {
      const { through, belongTo } = doorway(false)
      through()
      belongTo(acme)
    }
    expect(arrive(doorway, acme, 128)).toHaveLength(128)
    expect(arrive(doorway, other, 64)).toHaveLength(64)
  })
})

it('answers a flood of made-up cookies 503 instead of having all of it wait, and callers have a door of their own', async () => {
  const world = await openWorld()
  onTestFinished(() => world.close())
  await organisation(world, 'acme')
  const secret = await token(world, 'acme')
  const { api } = (await world.serve()).addresses
  const answered: Answer[] = []
  const flood = (count: number) =>
    Array.from({ length: count }, async () => {
      const cookie = `broadgauge=${randomBytes(32).toString('base64url')}`
      const answer = await call(`${api}/console/api/session`, { headers: { cookie } })
      answered.push(answer)
    })
  const refused = () =>
    answered.filter(({ status, headers }) => status === 503 && headers.get('retry-after') === '1').length
  const [coming, asked] = await world.operate(async ({ client }) => {
    await client.query('BEGIN')
    await client.query('LOCK TABLE sessions')
    const strangers = flood(300)
    await expect.poll(refused, { timeout: 20_000 }).toBeGreaterThan(0)
    const caller = call(`${api}/tests`, { token: secret })
    await pause(200)
    await client.query('ROLLBACK')
    return [strangers, caller]
  })
  await Promise.all(coming)
  // 503 too of whoever got no connection in time.
  expect(new Set(answered.map(({ status }) => status)).difference(new Set([403, 503]))).toEqual(new Set())
  expect((await asked).status).toBe(200)
  // All have left it.
  answered.length = 0
  for (let wave = 0; wave < 15; wave += 1) await Promise.all(flood(20))
  expect(answered.filter(({ status }) => status !== 403)).toEqual([])
}, 60_000)

describe('requests of one organisation that do not come through', () => {
  let world: World
  let api: string
  let ours: string
  let theirs: string

  beforeAll(async () => {
    world = await openWorld({ clickhouse: true })
    for (const key of ['acme', 'other']) {
      await organisation(world, key)
      await panel(world, key, key, ['whitebox'])
    }
    ours = await token(world, 'acme')
    theirs = await token(world, 'other')
    const noLimit = {
      BROADGAUGE_ORGANISATION_REQUESTS_PER_SECOND: '0',
      BROADGAUGE_TOKEN_REQUESTS_PER_SECOND: '0',
      BROADGAUGE_EXPORTS_MAX: '0',
    }
    api = (await world.serve(noLimit)).addresses.api
  }, 60_000)
  afterAll(() => world.close())

  const ask = (secret: string) => call(`${api}/tests`, { token: secret })

  const want = (path: string, headers: Record<string, string> = {}) =>
    call(`${api}${path}`, {
      method: 'POST',
      token: ours,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ test: 'ping', date: { from: '2026-01', to: '2026-01' } }),
    })

  it('because their bodies are sent slowly are refused, and nobody else’s', async () => {
    const { hostname, port } = new URL(api)
    const told: string[] = []
    const sockets: Socket[] = []
    for (let index = 0; index < 300; index += 1) {
      const socket = connect(Number(port), hostname)
      sockets.push(socket)
      socket.on('error', () => {})
      socket.on('data', (chunk) => told.push(chunk.toString('utf8')))
      await once(socket, 'connect')
      // So that those of whom nobody knows yet whose they are do not fill it first.
      if (index % 50 === 0) await pause(200)
      // A second's share comes in at one go.
      if (index === 100) expect(told).toEqual([])
      socket.write(
        `POST /test_data_download HTTP/1.1\r\nHost: x\r\nAuthorization: ${ours}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
      )
    }
    await expect.poll(() => told.length, { timeout: 5_000 }).toBe(300 - 128)
    expect(told.filter((text) => !/^HTTP\/1.1 429 [^]*ratelimit-limit: 64\r\n/i.test(text))).toEqual([])
    expect((await ask(ours)).status).toBe(429)
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(theirs)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    for (const socket of sockets) socket.destroy()
    await expect.poll(async () => (await ask(ours)).status, { timeout: 5_000 }).toBe(200)
  })

  it('because they wait for a file that nobody writes are no more than 32; the others are answered at once', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const answered: Answer[] = []
    const wantFile = () => want('/test_data.csv', key).then((answer) => answered.push(answer))
    const keys = () => runSql(world.superuserUrl, 'SELECT FROM idempotency_keys')
    const wanting = [wantFile()]
    await expect.poll(async () => (await keys()).length, { timeout: 5_000 }).toBe(1)
    for (let wave = 0; wave < 3; wave += 1) {
      wanting.push(...Array.from({ length: 100 }, wantFile))
      await pause(1_000)
    }
    expect((await ask(theirs)).status).toBe(200)
    expect((await ask(ours)).status).toBe(200)
    await expect.poll(() => answered.length, { timeout: 5_000 }).toBe(301 - 32)
    await runSql(world.superuserUrl, `UPDATE exports SET status = 'failed'`)
    await Promise.all(wanting)
    expect(answered.map(({ status }) => status)).toEqual(wanting.map(() => 200))
  }, 40_000)
})
