import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultTable, type FaultCode } from '../../src/base/fault.ts'
import { ok } from '../../src/envelope/envelope.ts'
import { defineRoute } from '../../src/http/define-route.ts'
import type { Service } from '../../src/serve/wiring/service.ts'
import { call, type CallOptions } from '../kit/call.ts'
import { organisation, token } from '../kit/panels.ts'
import { rawExchange } from '../kit/raw-exchange.ts'
import { runningMs } from '../kit/running-time.ts'
import { openWorld, type World } from '../kit/world.ts'

/** A route of this test that returns its body. The parser and the limits are those of the service. */
const echo = defineRoute('data', 'POST', '/echo', 'data:read', async (_context, _caller, { body }) => ok(body))
const broken = defineRoute('data', 'GET', '/broken', 'data:read', async () => {
  throw new Error('a secret detail of the inside')
})
/**
 * A route in which the connection to a store fails with a parser error. The service must not report this error as an
 * error of the caller.
 */
const brokenInside = defineRoute('data', 'GET', '/broken-inside', 'data:read', async () => {
  throw Object.assign(new Error('Parse Error: Header overflow'), { code: 'HPE_HEADER_OVERFLOW' })
})

/**
 * Error codes that this file does not provoke, because they need concurrent requests or stored results. The tests of
 * these codes are in test/features/links/links.test.ts, test/faults/metadata-idempotency.test.ts, test/ingest/ingest-requests.test.ts and
 * test/features/test-data/failures.test.ts.
 */
const elsewhere: FaultCode[] = [
  'PASSWORD_REQUIRED',
  'CONFLICT',
  'CURSOR_EXPIRED',
  'TOO_MANY_REQUESTS',
  'QUERY_TOO_LARGE',
]

let world: World
let service: Service
let good: string
const seen = new Set<FaultCode>()

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'acme')
  good = await token(world, 'acme')
  service = await world.serve({ BROADGAUGE_BODY_BYTES_MAX: '2048' }, [echo, broken, brokenInside])
})
afterAll(() => world.close())

const json = { 'content-type': 'application/json' }
const bodyOfLength = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))
const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json): CallOptions => ({
  method: 'POST',
  headers,
  body,
})

async function expectFault(path: string, code: FaultCode, options: CallOptions = {}, message?: string) {
  const answer = await call(`${service.addresses.api}${path}`, { token: good, ...options })
  expect(answer.body).toMatchObject({ code, message: message ?? faultTable[code].message })
  expect(answer.status).toBe(faultTable[code].status)
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(answer.headers.get('x-request-id')).toMatch(/^[\w.-]+$/)
  expect(Object.keys(answer.body).filter((key) => !['code', 'message', 'errors', 'details'].includes(key))).toEqual([])
  expect('errors' in answer.body).toBe(code === 'VALIDATION_FAIL')
  if (code !== 'VALIDATION_FAIL') expect(answer.body).not.toHaveProperty('details')
  seen.add(code)
  return answer
}

describe('every failure has the envelope', () => {
  it('answers 404 to a route that does not exist, with and without a token', async () => {
    await expectFault('/nothing-here', 'NOT_FOUND')
    await expectFault('/', 'NOT_FOUND', { token: '' })
  })

  it('answers 404 to an address that cannot be decoded', async () => {
    await expectFault('/metrics/%E0%A4%A', 'NOT_FOUND')
  })

  it.each(['DELETE', 'PUT', 'PATCH', 'POST', 'PROPFIND', 'OPTIONS'])('answers 405 with Allow to %s', async (method) => {
    const { headers } = await expectFault('/metrics', 'METHOD_NOT_ALLOWED', { method })
    expect(headers.get('allow')).toBe('GET, HEAD')
  })

  it.each([
    ['/metric_data', 'GET, HEAD, POST'],
    ['/test_data', 'POST'],
    ['/metadata', 'PUT'],
    ['/metadata/unit/1', 'GET, HEAD'],
    ['/downloads/x', 'DELETE, GET, HEAD'],
    ['/filters/isp/values', 'GET, HEAD'],
    ['/metadata/', 'PUT'],
    ['//filters/isp/values/', 'GET, HEAD'],
  ])('answers other methods on %s with Allow: %s', async (path, allowed) => {
    const { headers } = await expectFault(path, 'METHOD_NOT_ALLOWED', { method: 'PATCH' })
    expect(headers.get('allow')).toBe(allowed)
  })

  it('answers QUERY without a media type, which Fastify refuses by itself', async () => {
    for (const [path, status] of [
      ['/nothing-here', '415'],
      ['/tests', '405'],
    ]) {
      const text = await rawExchange(
        service.addresses.api,
        `QUERY ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      )
      expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(text).toContain('"code":"')
    }
  })

  it('answers 405 before it reads a body, also without a token', async () => {
    const options = { method: 'POST', token: '', headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(9_000) }
    await expectFault('/metrics', 'METHOD_NOT_ALLOWED', options)
  })

  it('answers 500 without detail to an unexpected error, and logs it', async () => {
    const answer = await expectFault('/broken', 'UNKNOWN_ERROR')
    expect(answer.text).not.toContain('secret')
    expect(world.observations.some((seenOne) => 'error' in seenOne && String(seenOne.error).includes('secret'))).toBe(
      true,
    )
  })

  it('answers 500, not an error of the caller, if a connection of the service breaks', async () => {
    await expectFault('/broken-inside', 'UNKNOWN_ERROR')
  })

  it('always answers 500 on /response-internal-server-error, without a token too', async () => {
    await expectFault('/response-internal-server-error', 'UNKNOWN_ERROR')
    const answer = await call(`${service.addresses.api}/response-internal-server-error`)
    expect(answer.status).toBe(500)
    expect(answer.body).toEqual({ code: 'UNKNOWN_ERROR', message: faultTable.UNKNOWN_ERROR.message })
  })

  it.each([
    ['text', 'text/plain', {}],
    ['no type at all', '', {}],
    ['a type that is not one', 'nonsense', {}],
    ['another charset', 'application/json; charset=utf-16', {}],
    ['a compressed body', 'application/json', { 'content-encoding': 'gzip' }],
  ])('answers 415 to %s', async (_what, type, headers) => {
    await expectFault(
      '/echo',
      'UNSUPPORTED_MEDIA_TYPE',
      post(new TextEncoder().encode('{}'), { 'content-type': type, ...headers }),
    )
  })

  it('answers 413 one byte over the limit, and 200 at the limit', async () => {
    const message = 'The request body is too large; the limit is 2048 bytes.'
    await expectFault('/echo', 'PAYLOAD_TOO_LARGE', post(bodyOfLength(2049)), message)
    const answer = await call(`${service.addresses.api}/echo`, { token: good, ...post(bodyOfLength(2048)) })
    expect(answer.status).toBe(200)
  })

  it('answers 413 to a chunked body over the limit', async () => {
    const chunk = `400\r\n${'x'.repeat(0x400)}\r\n`
    const text = await rawExchange(
      service.addresses.api,
      `POST /echo HTTP/1.1\r\nHost: a\r\nAuthorization: ${good}\r\nContent-Type: application/json\r\n` +
        `Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(4)}0\r\n\r\n`,
    )
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
    expect(text).toContain('"code":"PAYLOAD_TOO_LARGE"')
    expect(text).toContain('the limit is 2048 bytes')
  })

  it.each([
    ['nothing', ''],
    ['half an object', '{"a":'],
    ['two values', '{} {}'],
    ['a duplicate key', '{"a":1,"a":2}'],
    ['a duplicate key written differently', String.raw`{"a":1,"\u0061":2}`],
    ['__proto__', '{"__proto__":{}}'],
    ['an unsafe integer', '{"a":9007199254740993}'],
    ['a number out of range', '{"a":1e400}'],
    ['NaN', '{"a":NaN}'],
    ['a comment', '{} // x'],
  ])('answers 422 to %s', async (_what, body) => {
    const answer = await expectFault('/echo', 'VALIDATION_FAIL', post(body))
    expect(answer.body['errors']).toEqual({ body: ['This value should be valid JSON.'] })
  })

  it('answers 422 to a body that is not UTF-8', async () => {
    await expectFault('/echo', 'VALIDATION_FAIL', post(new Uint8Array([0x22, 0xff, 0x22])))
  })

  it('answers 422 to an unknown parameter, naming it, on routes whose fields are in the body', async () => {
    const answer = await expectFault('/test_data?panel=homes', 'VALIDATION_FAIL', post('{}'))
    expect(answer.body['errors']).toEqual({ panel: ['This field was not expected.'] })
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const { text } = await expectFault(`/test_data?${name}=1`, 'VALIDATION_FAIL', post('{}'))
      expect(text).toContain(`"errors":{"${name}":["This field was not expected."]}`)
    }
  })

  it('ignores an unknown parameter of a listing, and checks the known ones', async () => {
    for (const path of ['/tests', '/metrics', '/presets', '/splits', '/filters']) {
      const plain = await call(`${service.addresses.api}${path}`, { token: good })
      const more = await call(`${service.addresses.api}${path}?_=1&constructor=2`, { token: good })
      expect(more).toMatchObject({ status: 200, text: plain.text })
    }
    const other = await expectFault('/tests?kind=router&_=1', 'VALIDATION_FAIL')
    expect(other.body['errors']).toEqual({ kind: ['The value you selected is not a valid choice.'] })
    expect(other.body['details']).toEqual({ kind: { choices: ['unit', 'mobile'] } })
  })

  it.each([
    ['a request line that is none', 'NONSENSE\r\n\r\n', 400, 'BAD_REQUEST'],
    ['a header that is none', 'GET /tests HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n', 400, 'BAD_REQUEST'],
    [
      'both lengths (request smuggling)',
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'BAD_REQUEST',
    ],
    ['an unknown expectation', 'GET /tests HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n', 400, 'BAD_REQUEST'],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    [
      'headers over 16 KB',
      `GET /tests HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
  ] as const)('answers with the envelope to %s', async (_what, request, status, code) => {
    const text = await rawExchange(service.addresses.api, request)
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    const body: unknown = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))
    expect(body).toMatchObject({ code, message: expect.any(String) })
    seen.add(code)
  })

  it('cuts a slow-loris header after 10 s with 408', async () => {
    const startedAt = runningMs()
    const text = await rawExchange(service.addresses.api, 'GET /tests HTTP/1.1\r\nHost: a\r\nX-Slow: ')
    expect(text).toContain('"code":"REQUEST_TIMEOUT"')
    expect(runningMs() - startedAt).toBeLessThan(13_000)
    seen.add('REQUEST_TIMEOUT')
  })

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['only the scheme', 'Bearer'],
    ['another scheme', 'Basic YTpi'],
    ['a token with a typo', 'bg_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'],
  ])('answers 403 to %s', async (_what, header) => {
    const headers: Record<string, string> = header === undefined ? {} : { authorization: header }
    const answer = await call(`${service.addresses.api}/tests`, { headers })
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual({ code: 'ACCESS_DENIED', message: 'Access Denied' })
    seen.add('ACCESS_DENIED')
  })

  it('answers 503 with Retry-After within the deadline while PostgreSQL is unavailable, and still 403 to a typo', async () => {
    const url = new URL(world.environment['BROADGAUGE_POSTGRES_URL'] ?? '')
    url.port = '1'
    const blind = await world.serve({ BROADGAUGE_POSTGRES_URL: url.href })
    const answer = await call(`${blind.addresses.api}/tests`, { token: good })
    expect(answer.body).toEqual({ code: 'SERVICE_UNAVAILABLE', message: faultTable.SERVICE_UNAVAILABLE.message })
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    const typo = await call(`${blind.addresses.api}/tests`, {
      token: `${good.slice(0, -1)}${good.endsWith('0') ? 1 : 0}`,
    })
    expect(typo.status).toBe(403)
    seen.add('SERVICE_UNAVAILABLE')
  })

  it('has provoked every error of the table, except those that other files provoke', () => {
    const missing = new Set(Object.keys(faultTable)).difference(seen)
    expect(missing).toEqual(new Set(elsewhere))
  })
})
