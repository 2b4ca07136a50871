import { createGunzip, createBrotliDecompress, createZstdDecompress } from 'node:zlib'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultTable } from '../../../src/base/fault.ts'
import { bind, sql } from '../../../src/base/sql.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { callStream, openStream, readOut, type StreamOutcome } from '../../kit/stream-call.ts'
import { until } from '../../faults/attempt.ts'
import { asIngestUser, failing, openStreamWorld, streaming, type StreamWorld } from './stream-world.ts'

/**
 * The number of tries for each failure. ClickHouse fails after its first rows, and the caller must be able to see that
 * the response is incomplete.
 */
const timesEach = process.env['BROADGAUGE_TEST_DEEP'] === '1' ? 200 : 67

/**
 * A statement that is slow for every row and has a time limit of 300 ms. It runs as another user, because the service's
 * own user may not set limits.
 */
const late = streaming(
  '/late',
  ({ pause = 1 }) => sql`
    SELECT number, sleepEachRow(0.000001 * ${bind('UInt32', pause)}) AS slept, repeat('x', 100) AS filler
    FROM numbers(100000000)
    SETTINGS max_execution_time = 0.3, timeout_overflow_mode = 'throw', max_block_size = 20000,
      output_format_json_array_of_rows = 1, function_sleep_max_microseconds_per_block = 0`,
)

let stage: StreamWorld
let service: Service
let unlimited: Service

beforeAll(async () => {
  stage = await openStreamWorld(150_000)
  const { world } = stage
  service = await world.serve({}, [failing, late])
  unlimited = await world.serve(asIngestUser(world), [late])
}, 120_000)
afterAll(() => stage.world.close())

const encodings = ['identity', 'gzip', 'br', 'zstd'] as const
type Encoding = (typeof encodings)[number]

const decompressors = { gzip: createGunzip, br: createBrotliDecompress, zstd: createZstdDecompress }

/**
 * Parses a response as a careless client does. Such a client takes the end of the stream or of the connection as the
 * end of the response.
 */
async function careless({ headers, bytes }: StreamOutcome): Promise<unknown> {
  const encoding = headers['content-encoding'] as keyof typeof decompressors | undefined
  if (encoding === undefined) return JSON.parse(bytes.toString('utf8'))
  const decompressor = decompressors[encoding]()
  const chunks: Buffer[] = []
  decompressor.on('data', (chunk: Buffer) => chunks.push(chunk))
  decompressor.end(bytes)
  await once(decompressor, 'end')
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

async function expectCut(outcome: StreamOutcome): Promise<void> {
  expect(outcome.status).toBe(200)
  expect(outcome.complete).toBe(false)
  await expect(careless(outcome)).rejects.toThrow(Error)
}

const options = (body: unknown, encoding: Encoding) => ({
  token: stage.token,
  body,
  headers: { 'accept-encoding': encoding },
})

describe('ClickHouse fails after its first rows', () => {
  it(`by a condition of the statement, ${timesEach} times: every response is cut`, async () => {
    for (let time = 0; time < timesEach; time += 1) {
      const encoding = encodings[time % 4] as Encoding
      const at = 200_000 + time * 1_009
      await expectCut(await callStream(`${service.addresses.api}/failing`, options({ at }, encoding)))
    }
  }, 600_000)

  it(`by its time limit, ${timesEach} times: every response is cut`, async () => {
    for (let time = 0; time < timesEach; time += 1) {
      const encoding = encodings[time % 4] as Encoding
      const ask = () => callStream(`${unlimited.addresses.api}/late`, options({ pause: 1 }, encoding))
      let outcome = await ask()
      // Status 422 means that the time limit ended before the first row. That is a complete error response, which
      // another test checks. So try again.
      for (let again = 1; again <= 5 && outcome.status === 422; again += 1) outcome = await ask()
      await expectCut(outcome)
    }
  }, 600_000)

  it(`by being killed, ${timesEach} times: every response is cut`, async () => {
    const url = `${service.addresses.api}/test_data`
    const { nodes } = stage.world.engine('ADMIN')
    for (let time = 0; time < timesEach; time += 1) {
      const requestId = `kill-${time}`
      const encoding = encodings[time % 4] as Encoding
      const { headers, ...rest } = options(stage.body, encoding)
      const response = await openStream(url, { ...rest, headers: { ...headers, 'x-request-id': requestId } })
      const killed = nodes.map(async (node) => {
        const result = await node.query({
          query: `KILL QUERY WHERE JSONExtractString(Settings['log_comment'], 'request_id') = {requestId:String} ASYNC`,
          query_params: { requestId },
          format: 'JSONEachRow',
        })
        return result.json()
      })
      expect((await Promise.all(killed)).flat(), requestId).not.toEqual([])
      await expectCut(await readOut(response))
    }
  }, 600_000)

  it('logs the reason, and that the response was cut', async () => {
    const { observations } = stage.world
    const before = observations.length
    await callStream(`${service.addresses.api}/failing`, options({ at: 300_000 }, 'identity'))
    await until(async () => observations.slice(before).some((one) => one.kind === 'request-finished'), 5_000)
    const since = observations.slice(before)
    expect(since).toContainEqual(expect.objectContaining({ kind: 'request-failed', code: 'UNKNOWN_ERROR' }))
    expect(since).toContainEqual(
      expect.objectContaining({ kind: 'request-finished', route: '/failing', status: 200, cut: 'engine-failed' }),
    )
  })

  it.each([
    ['HTTP/1.0', 'HTTP/1.0\r\n'],
    ['HTTP/1.0 with keep-alive', 'HTTP/1.0\r\nConnection: keep-alive\r\n'],
    ['HTTP/1.1 with keep-alive', 'HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n'],
    ['HTTP/1.1 without', 'HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'],
  ])('resets the connection of %s', async (_what, versionAndHeaders) => {
    const { hostname, port } = new URL(service.addresses.api)
    const body = JSON.stringify({ at: 300_000 })
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.write(
      `POST /failing ${versionAndHeaders}Authorization: ${stage.token}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    )
    const [error] = await once(socket, 'error')
    expect(error).toMatchObject({ code: 'ECONNRESET' })
    const text = Buffer.concat(chunks).toString('utf8')
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false)
    expect(text).not.toContain('exception')
  })
})

describe('ClickHouse fails before its first rows', () => {
  it('answers a failure of the statement with 500 and the envelope', async () => {
    const outcome = await callStream(`${service.addresses.api}/failing`, options({ at: 1 }, 'gzip'))
    expect(outcome.status).toBe(500)
    expect(outcome.headers['content-encoding']).toBeUndefined()
    expect(await careless(outcome)).toEqual({ code: 'UNKNOWN_ERROR', message: faultTable.UNKNOWN_ERROR.message })
  })

  it('answers a query over its time limit with 422, and names the limit', async () => {
    const outcome = await callStream(`${unlimited.addresses.api}/late`, options({ pause: 40 }, 'identity'))
    expect(await careless(outcome)).toEqual({
      code: 'QUERY_TOO_LARGE',
      message: 'The query takes longer than its time limit; narrow its dates, panels, splits or filters.',
    })
    expect(outcome.status).toBe(422)
  })

  it('answers 503 while ClickHouse is unavailable', async () => {
    const blind = await stage.world.serve({
      BROADGAUGE_CLICKHOUSE_URL: 'http://127.0.0.1:1',
      BROADGAUGE_CLICKHOUSE_CLUSTER: 'any',
    })
    const answer = await call(`${blind.addresses.api}/test_data`, {
      method: 'POST',
      token: stage.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(stage.body),
    })
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
  })
})
