import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultTable, type FaultCode } from '../../src/base/fault.ts'
import { ingestLimits } from '../../src/base/limits.ts'
import { pause } from '../faults/attempt.ts'
import type { Answer } from '../kit/call.ts'
import { token } from '../kit/panels.ts'
import { csv, ndjson, openIngestWorld, ping, reportOf, type IngestWorld } from './ingest-world.ts'

let ingest: IngestWorld

beforeAll(async () => {
  ingest = await openIngestWorld({ BROADGAUGE_INGEST_REQUESTS_MAX: '2' })
})
afterAll(() => ingest.world.close())

let second = 0
const nextTime = () => new Date(Date.UTC(2026, 0, 1) + (second += 1) * 1000).toISOString()
const rows = (count: number) => Array.from({ length: count }, () => ping({ dtime: nextTime() }))
const countStored = async () =>
  (await ingest.ask<{ rows: number }>(`SELECT toUInt32(count()) AS rows FROM ${ingest.world.name}.ping`))[0]?.rows

function expectFault(answer: Answer, code: FaultCode, message: string = faultTable[code].message): void {
  expect(answer.body).toMatchObject({ code, message })
  expect(answer.status).toBe(faultTable[code].status)
}

const asBytes = (buffer: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(buffer)

describe('accepted requests', () => {
  it.each([
    ['NDJSON', 'application/x-ndjson', ndjson],
    ['NDJSON by its other name', 'application/ndjson; charset=utf-8', ndjson],
    ['CSV', 'text/csv', csv],
    ['CSV with what its type may say', 'text/csv; charset="UTF-8"; header=present', csv],
  ])('%s, plain, by gzip and by zstd', async (_what, type, write) => {
    for (const [encoding, pack] of [
      ['identity', (text: string) => Buffer.from(text)],
      ['gzip', gzipSync],
      ['zstd', zstdCompressSync],
    ] as const) {
      const headers = { 'content-type': type, 'content-encoding': encoding }
      const answer = await ingest.post('ping', asBytes(pack(write(rows(7)))), { headers })
      expect(reportOf(answer), encoding).toMatchObject({ accepted: 7, rejected: 0 })
    }
  })

  it('line ends of Windows, a byte order mark, blank lines and no line end after the last line', async () => {
    const text = `\u{feff}${ndjson(rows(3)).replaceAll('\n', '\r\n\r\n')}\n\n`
    expect(reportOf(await ingest.post('ping', text.trimEnd()))).toMatchObject({ accepted: 3, rejected: 0 })
    const table = `\u{feff}${csv(rows(3)).replaceAll('\n', '\r\n')}`
    const answer = await ingest.post('ping', `${table}\r\n\r\n`, { headers: { 'content-type': 'text/csv' } })
    expect(reportOf(answer)).toMatchObject({ accepted: 3, rejected: 0 })
  })

  it('a body of more than one batch, with rows numbered continuously', async () => {
    // The long text is in a column that ingest ignores. A text that is stored may not be that long.
    const base = randomBytes(1_000).toString('hex')
    const count = Math.ceil((ingestLimits.batchBytesMax * 1.2) / base.length)
    const lines = Array.from({ length: count }, (_, index) =>
      JSON.stringify(ping({ dtime: nextTime(), base, ...(index === count - 1 ? { rtt_avg: 'x' } : {}) })),
    )
    const body = asBytes(gzipSync(lines.join('\n')))
    const before = (await countStored()) ?? 0
    const answers = []
    for (let time = 0; time < 2; time += 1) {
      answers.push(reportOf(await ingest.post('ping', body, { headers: { 'content-encoding': 'gzip' } })))
    }
    expect(answers[0]).toMatchObject({
      accepted: count - 1,
      rejected: 1,
      rejections: [{ reason: 'wrong_type', column: 'rtt_avg', rows: 1, first_row: count }],
    })
    expect(answers[1]).toEqual(answers[0])
    expect(await countStored()).toBe(before + count - 1)
  })

  it('a body of more than one batch, each with repeated rows, with the same answer each time', async () => {
    const base = randomBytes(1_000).toString('hex')
    const count = Math.ceil((ingestLimits.batchBytesMax * 1.2) / base.length)
    const all = rows(count).map((row) => ({ ...row, base }))
    // The last line repeats a row of the first batch. The service stores the row once and reports the line as accepted.
    const lines = [all[0], all[0], ...all.slice(1), all.at(-1), all[1]].map((row) => JSON.stringify(row))
    const body = asBytes(gzipSync(lines.join('\n')))
    const before = await countStored()
    const first = await ingest.post('ping', body, { headers: { 'content-encoding': 'gzip' } })
    expect(reportOf(first)).toMatchObject({
      accepted: count + 1,
      duplicates: 2,
      rejections: [{ reason: 'duplicate_row', column: '', rows: 2, first_row: 2 }],
    })
    expect(await countStored()).toBe(Number(before) + count)
    expect((await ingest.post('ping', body, { headers: { 'content-encoding': 'gzip' } })).text).toBe(first.text)
  })

  it('answers with the envelope', async () => {
    const { body } = await ingest.post('ping', ndjson(rows(1)))
    expect(body).toEqual({
      code: 'OK',
      message: 'Request successful',
      data: { accepted: 1, duplicates: 0, rejected: 0, batch: expect.stringMatching(/^[0-9a-f]{32}$/), rejections: [] },
    })
  })
})

describe('refused requests, none of which is stored', () => {
  let before: number | undefined
  beforeAll(async () => {
    before = await countStored()
  })
  afterAll(async () => expect(await countStored()).toBe(before))

  const typeMessage =
    'The request body must be application/x-ndjson or text/csv, UTF-8, plain or encoded by gzip or zstd.'

  it.each([
    ['JSON', { 'content-type': 'application/json' }],
    ['no type', { 'content-type': '' }],
    ['another charset', { 'content-type': 'text/csv; charset=latin1' }],
    ['another encoding', { 'content-encoding': 'br' }],
    ['two encodings', { 'content-encoding': 'gzip, gzip' }],
    ['an encoding that every object has', { 'content-encoding': 'constructor' }],
    ['a type that every object has', { 'content-type': '__proto__' }],
  ])('answers 415 to %s', async (_what, headers) => {
    expectFault(await ingest.post('ping', ndjson(rows(1)), { headers }), 'UNSUPPORTED_MEDIA_TYPE', typeMessage)
  })

  it('answers 404 to an unknown test, and on the other listener', async () => {
    expectFault(await ingest.post('pong', ndjson(rows(1))), 'NOT_FOUND')
    expectFault(await ingest.post('ping', ndjson(rows(1)), { address: ingest.service.addresses.api }), 'NOT_FOUND')
  })

  it('answers 403 without a token, with a read-only one, and to one without its scheme', async () => {
    const reader = await token(ingest.world, 'acme', ['data:read', 'metadata:write'])
    for (const as of ['', `Bearer ${reader}`, ingest.token.replace('Bearer ', '')]) {
      expectFault(await ingest.post('ping', ndjson(rows(1)), { token: as }), 'ACCESS_DENIED')
    }
  })

  it('answers 422 to a parameter, and to an empty body', async () => {
    expectFault(await ingest.post('ping?x=1', ndjson(rows(1))), 'VALIDATION_FAIL')
    const empty = await ingest.post('ping', '')
    expect(empty.body['errors']).toEqual({ body: ['This value should not be blank.'] })
  })

  it.each([
    ['a column that is not there', 'agent_id,dtime,target,successes', { failures: ['This field is missing.'] }],
    ['an unknown column', 'agent_id,dtime,target,successes,failures,rtt', { rtt: ['This field was not expected.'] }],
    ['one twice', 'agent_id,dtime,target,successes,failures,target', { target: ['This field is there twice.'] }],
  ])('answers 422 to a CSV header with %s', async (_what, header, errors) => {
    const body = `${header}\n${header.replaceAll(/\w+/g, '1')}\n`
    const answer = await ingest.post('ping', body, { headers: { 'content-type': 'text/csv' } })
    expectFault(answer, 'VALIDATION_FAIL')
    expect(answer.body['errors']).toEqual(errors)
  })

  it.each([
    ['a quote that is not closed', '"wb-1,2026-01-01 00:00:00,x,1,0\n', 'A quoted cell is not closed.'],
    ['text after a quote', '"wb-1"x,2026-01-01 00:00:00,x,1,0\n', 'The rows cannot be parsed.'],
  ])('answers 422 to CSV with %s', async (_what, line, message) => {
    const body = `agent_id,dtime,target,successes,failures\n${line}`
    const answer = await ingest.post('ping', body, { headers: { 'content-type': 'text/csv' } })
    expect(answer.body['errors']).toEqual({ body: [message] })
  })

  it.each([
    ['gzip', Buffer.from('nonsense')],
    ['gzip', gzipSync(ndjson([ping()])).subarray(0, 40)],
    ['zstd', Buffer.from('nonsense')],
    ['zstd', zstdCompressSync(ndjson([ping()])).subarray(0, 40)],
    // A complete archive, followed by other bytes. A lenient decompressor would ignore these bytes.
    ['gzip', Buffer.concat([gzipSync(ndjson([ping()])), Buffer.alloc(5), gzipSync(ndjson([ping()]))])],
    ['zstd', Buffer.concat([zstdCompressSync(ndjson([ping()])), Buffer.from('garbage')])],
  ])('answers 422 to an incomplete %s', async (encoding, body) => {
    const answer = await ingest.post('ping', asBytes(body), { headers: { 'content-encoding': encoding } })
    expect(answer.body['errors']).toEqual({ body: [`This is not whole, valid ${encoding} data.`] })
  })

  it('answers 413 to a body over the limit, declared or not, and to one over it when decompressed', async () => {
    const large = new Uint8Array(ingestLimits.bodyBytesMax + 1).fill(0x0a)
    const message = 'The request body is too large; the limit is 67108864 bytes.'
    expectFault(await ingest.post('ping', large), 'PAYLOAD_TOO_LARGE', message)
    expect(await answerToChunks(large)).toContain(message)
    const member = gzipSync(`${ndjson(rows(1))}${randomBytes(5_000).toString('hex')}${' '.repeat(1024 * 1024)}\n`)
    const large512 = Buffer.concat(Array.from({ length: 512 }, () => member))
    expectFault(
      await ingest.post('ping', asBytes(large512), { headers: { 'content-encoding': 'gzip' } }),
      'PAYLOAD_TOO_LARGE',
      'The request body is larger than 512 MiB when it is unpacked; send fewer rows at a time.',
    )
  })

  it.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ])('answers 413 to %s data that decompresses to more than 16 MiB and 250 times its size', async (encoding, pack) => {
    const send = async (unpacked: Buffer) =>
      ingest.post('ping', asBytes(pack(unpacked)), { headers: { 'content-encoding': encoding } })
    const message =
      'The request body is larger than 16 MiB and more than 250 times its size when it is unpacked; send fewer rows at a time, or compress less.'
    expectFault(await send(Buffer.alloc(16 * 1024 * 1024 + 1, '\n')), 'PAYLOAD_TOO_LARGE', message)
    expect((await send(Buffer.alloc(16 * 1024 * 1024, '\n'))).status).toBe(200)
  })

  it('answers 422 to zstd data with a window of more than 8 MiB, and accepts one of 8 MiB', async () => {
    // The data must be larger than the window. Otherwise the compressor would use a smaller window.
    const unpacked = Buffer.alloc(9 * 1024 * 1024, '\n')
    const send = (windowLog: number) => {
      const packed = zstdCompressSync(unpacked, { params: { [constants.ZSTD_c_windowLog]: windowLog } })
      return ingest.post('ping', asBytes(packed), { headers: { 'content-encoding': 'zstd' } })
    }
    expect((await send(24)).body['errors']).toEqual({
      body: ['The window of this zstd data is larger than 8 MiB; compress it by level 19 or lower, without --long.'],
    })
    expect((await send(23)).status).toBe(200)
  })
})

it('accepts a bounded number of concurrent requests: 429 for an organisation over its limit, 503 when all slots are taken', async () => {
  const first = await beginRequest(ingest.token)
  const crowded = await ingest.post('ping', ndjson(rows(1)))
  expectFault(
    crowded,
    'TOO_MANY_REQUESTS',
    'Too many ingest requests; at most 1 at once. Try again after the time in Retry-After.',
  )
  const shown = ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']
  expect(shown.map((name) => crowded.headers.get(name))).toEqual(['1', '1', '0', '1'])
  const other = await beginRequest(ingest.otherToken)
  const full = await ingest.post('ping', ndjson(rows(1)))
  expectFault(full, 'SERVICE_UNAVAILABLE')
  expect(full.headers.get('retry-after')).toBe('1')
  first.destroy()
  other.destroy()
  await expect.poll(async () => (await ingest.post('ping', ndjson(rows(1)))).status, { timeout: 5_000 }).toBe(200)
})

it('holds half of all bytes for one organisation, so that another still has room', { timeout: 60_000 }, async () => {
  // This instance has enough slots. So the requests reach the limit on bytes first.
  const { ingest: address } = (await ingest.world.serve()).addresses
  const send = (as: string) => ingest.post('ping', ndjson(rows(1)), { token: as, address })
  // All organisations together may have four bodies of this size in memory, and one organisation may have two. Each
  // body lacks its last 10 bytes, so the remaining room is less than one row.
  const bodies: Socket[] = []
  for (let body = 0; body < 4; body += 1) bodies.push(await beginLarge(ingest.token, address))
  await expect.poll(() => bodies.filter(({ destroyed }) => destroyed).length, { timeout: 10_000 }).toBe(2)
  // Wait until the two accepted bodies have arrived.
  await pause(1_000)
  expect((await send(ingest.otherToken)).status).toBe(200)
  const crowded = await send(ingest.token)
  expectFault(
    crowded,
    'TOO_MANY_REQUESTS',
    'Too many ingest requests; at most 128 MiB at once. Try again after the time in Retry-After.',
  )
  const shown = ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']
  expect(shown.map((name) => crowded.headers.get(name))).toEqual(['1', '134217728', '0', '1'])
  for (const body of bodies) body.destroy()
  await expect.poll(async () => (await send(ingest.token)).status, { timeout: 5_000 }).toBe(200)
})

const head = (as: string, length: string) =>
  `POST /ingest/ping HTTP/1.1\r\nHost: a\r\nAuthorization: ${as}\r\nContent-Type: application/x-ndjson\r\n${length}\r\n\r\n`

/** Starts a request and does not send the end of its body. */
async function beginRequest(as: string): Promise<Socket> {
  const { hostname, port } = new URL(ingest.service.addresses.ingest)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(`${head(as, 'Content-Length: 100')}{"agent_id"`)
  await new Promise((resolve) => setTimeout(resolve, 500))
  return socket
}

/**
 * Sends a request with a body of the maximum size, but without its last 10 bytes. Returns when all other bytes are sent
 * or the service has refused them.
 */
async function beginLarge(as: string, address: string): Promise<Socket> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.resume()
  socket.write(head(as, `Content-Length: ${ingestLimits.bodyBytesMax}`))
  const body = new Uint8Array(ingestLimits.bodyBytesMax - 10).fill(0x0a)
  await new Promise((resolve) => socket.write(body, resolve))
  return socket
}

/** Sends the body in chunks of a megabyte, without a Content-Length. Returns the response. */
async function answerToChunks(body: Uint8Array): Promise<string> {
  const { hostname, port } = new URL(ingest.service.addresses.ingest)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  const answered = new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (data) => (text += String(data)))
    socket.on('close', () => resolve(text))
  })
  socket.write(head(ingest.token, 'Transfer-Encoding: chunked'))
  const size = 1024 * 1024
  for (let at = 0; at < body.length && !socket.destroyed; at += size) {
    const piece = body.subarray(at, at + size)
    const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
    if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), answered])
  }
  return answered
}
