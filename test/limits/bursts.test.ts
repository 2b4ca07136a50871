import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { formatToken, tokenEntropyBytes } from '../../src/base/token.ts'
import { call, type Answer } from '../kit/call.ts'
import { organisation, panel, token } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { openWorld, type World } from '../kit/world.ts'

it('refuses a flood of invented cookies instead of queueing all of it, and serves callers with tokens', async () => {
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
    answered.filter(({ status, headers }) => status === 429 && headers.get('retry-after') === '1').length
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
  expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([403, 429]))
  expect((await asked).status).toBe(200)
  // The slots of the refused requests are free again, so all requests of 15 waves of 20 get a slot.
  answered.length = 0
  for (let wave = 0; wave < 15; wave += 1) await Promise.all(flood(20))
  expect(answered.filter(({ status }) => status !== 403)).toEqual([])
}, 60_000)

describe('unanswered requests of one organisation', () => {
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

  it('because their bodies arrive slowly are refused, and those of no other organisation', async () => {
    const { hostname, port } = new URL(api)
    const received: string[] = []
    const sockets: Socket[] = []
    for (let index = 0; index < 300; index += 1) {
      const socket = connect(Number(port), hostname)
      sockets.push(socket)
      socket.on('error', () => {})
      socket.on('data', (chunk) => received.push(chunk.toString('utf8')))
      await once(socket, 'connect')
      // Wait until the first request has made the token known to the instance. Requests with unknown tokens share the
      // slots of their network.
      if (index === 1) await pause(200)
      // By default an organisation may send 100 requests per second. All of them may arrive at once: none of the first
      // 100 requests is refused.
      if (index === 100) expect(received).toEqual([])
      socket.write(
        `POST /test_data_download HTTP/1.1\r\nHost: x\r\nAuthorization: ${ours}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
      )
    }
    await expect.poll(() => received.length, { timeout: 5_000 }).toBe(300 - 128)
    expect(received.filter((text) => !/^HTTP\/1.1 429 [^]*ratelimit-limit: 64\r\n/i.test(text))).toEqual([])
    expect((await ask(ours)).status).toBe(429)
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(theirs)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    for (const socket of sockets) socket.destroy()
    await expect.poll(async () => (await ask(ours)).status, { timeout: 5_000 }).toBe(200)
  })

  it('because they wait for an export that is not written are at most 32; the others are answered at once', async () => {
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

describe('a burst', () => {
  let world: World
  let api: string
  const tokens: Record<string, string> = {}

  beforeAll(async () => {
    world = await openWorld()
    for (const key of ['busy', 'quiet']) {
      await organisation(world, key)
      await panel(world, key, key, ['whitebox'])
      tokens[key] = await token(world, key)
    }
    api = (await world.serve()).addresses.api
    await call(`${api}/metrics`, { token: tokens['quiet'] ?? '' })
  }, 60_000)
  afterAll(() => world.close())

  /** Sends twenty requests per second as another tenant while `work` runs. Returns their statuses. */
  async function quietDuring(work: Promise<unknown>): Promise<number[]> {
    let isOver = false
    void work.finally(() => (isOver = true))
    const asked: Promise<Answer>[] = []
    while (!isOver) {
      asked.push(call(`${api}/metrics`, { token: tokens['quiet'] ?? '' }))
      await pause(50)
    }
    await work
    return (await Promise.all(asked)).map(({ status }) => status)
  }

  it('of 400 requests of one tenant is answered 200 or 429, five times over, and another tenant 200', async () => {
    const statuses: number[] = []
    const bursts = async () => {
      for (let burst = 0; burst < 5; burst += 1) {
        const answers = Array.from({ length: 400 }, () => call(`${api}/metrics`, { token: tokens['busy'] ?? '' }))
        statuses.push(...(await Promise.all(answers)).map(({ status }) => status))
        await pause(200)
      }
    }
    const quiet = await quietDuring(bursts())
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(new Set(quiet)).toEqual(new Set([200]))
    expect(quiet.length).toBeGreaterThan(10)
  }, 60_000)

  it('of invented tokens, 300 pipelined on each of 8 connections, leaves another tenant 200', async () => {
    const { hostname, port } = new URL(api)
    const received: string[] = []
    const flood = async () => {
      const sockets = Array.from({ length: 8 }, () => connect(Number(port), hostname))
      for (const socket of sockets) {
        const invented = () => formatToken(randomBytes(tokenEntropyBytes))
        const request = () => `GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: ${invented()}\r\n\r\n`
        socket.on('error', () => {})
        socket.on('data', (chunk) => received.push(chunk.toString('latin1')))
        socket.write(Array.from({ length: 300 }, request).join(''))
      }
      await Promise.all(sockets.map(async (socket) => socket.closed || once(socket, 'close')))
    }
    const floods = async () => {
      for (let times = 0; times < 5; times += 1) await flood()
    }
    const quiet = await quietDuring(floods())
    expect(new Set(received.join('').match(/HTTP\/1\.1 \d+/g))).toEqual(new Set(['HTTP/1.1 403', 'HTTP/1.1 429']))
    expect(new Set(quiet)).toEqual(new Set([200]))
  }, 60_000)

  it('of more than 32 unanswered requests on a connection ends it with a 429', async () => {
    const { hostname, port } = new URL(api)
    const socket = connect(Number(port), hostname)
    const received: string[] = []
    socket.on('data', (chunk) => received.push(chunk.toString('latin1')))
    socket.write(`GET /tests HTTP/1.1\r\nHost: x\r\nAuthorization: ${tokens['quiet']}\r\n\r\n`.repeat(40))
    await once(socket, 'close')
    const statuses = received.join('').match(/HTTP\/1\.1 \d+/g)
    expect(statuses).toEqual([...Array.from({ length: 32 }, () => 'HTTP/1.1 200'), 'HTTP/1.1 429'])
    expect(received.join('')).toContain('at most 32 may be unanswered')
  })
})
