import { gzipSync, zstdCompressSync } from 'node:zlib'
import type { Dice } from '../dice.ts'

export type Garbage = {
  readonly kind: string
  readonly target: 'api' | 'ingest'
  readonly pieces: readonly Buffer[]
  /** True if two parsers could interpret the request differently. The service must then answer it with 400. */
  readonly mustBeRefused?: true
}

type Maker = (dice: Dice, token: string) => string | Buffer | Omit<Garbage, 'kind'>

const bytesOf = (dice: Dice, most: number): Buffer =>
  Buffer.from(Array.from({ length: dice.between(0, most) }, () => dice.between(0, 255)))
const head = (line: string, headers: readonly string[]): string => `${[line, ...headers].join('\r\n')}\r\n\r\n`
const get = (path: string, headers: readonly string[] = []): string =>
  head(`GET ${path} HTTP/1.1`, ['Host: a', ...headers])
const post = (token: string, headers: readonly string[], body: string): string =>
  head('POST /test_data HTTP/1.1', [
    'Host: a',
    `Authorization: ${token}`,
    'Content-Type: application/json',
    ...headers,
  ]) + body
const refused = (text: string): Omit<Garbage, 'kind'> => ({
  target: 'api',
  pieces: [Buffer.from(text, 'latin1')],
  mustBeRefused: true,
})
const smuggled = 'GET /tests HTTP/1.1\r\nHost: a\r\n\r\n'

const makers: Record<string, Maker> = {
  'random bytes': (dice) => bytesOf(dice, 4_000),
  'random bytes after a request line': (dice) =>
    Buffer.concat([Buffer.from('GET /tests HTTP/1.1\r\nHost: a\r\n'), bytesOf(dice, 400)]),
  method: (dice) => {
    const methods = [
      'get',
      'TRACE',
      'CONNECT',
      'PRI',
      'PROPFIND',
      'QUERY',
      'PURGE',
      'M-SEARCH',
      'GE T',
      '',
      '\u00c9',
      'X'.repeat(20_000),
    ]
    return head(`${dice.pick(methods)} ${dice.pick(['/tests', '*', 'a:1', 'http://a/tests', ''])} HTTP/1.1`, [
      'Host: a',
    ])
  },
  version: (dice) =>
    head(
      `GET /tests ${dice.pick(['HTTP/0.9', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'HTTP/1.11', 'http/1.1', 'ICE/1.0', ''])}`,
      ['Host: a'],
    ),
  'HTTP/2 preface': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000',
  'TLS on a plain port': (dice) => Buffer.concat([Buffer.from('1603010200010001fc0303', 'hex'), bytesOf(dice, 500)]),
  address: (dice) =>
    get(
      dice.pick([
        `/${'a'.repeat(65_536)}`,
        `/tests?${'a=1&'.repeat(16_000)}`,
        `/metadata/agent/${'%41'.repeat(5_000)}`,
        '/\u00ff\u00fe',
        '/tests#x',
        '//tests',
        '/tests/../tests',
        '/%2e%2e/tests',
        '/tests%00',
        '/tests\t',
        'http://b/tests',
        '*',
        '/tests?\u0000',
        '\\tests',
        'tests',
      ]),
    ),
  header: (dice) =>
    get('/tests', [
      dice.pick([
        'no colon',
        ': no name',
        'Name : space',
        ' folded: x',
        'X: a\r\n b',
        'X: \u0000',
        'X: a\rb',
        'X: a\nb',
        `X: ${'y'.repeat(20_000)}`,
        Array.from({ length: 3_000 }, (_, index) => `X${index}: y`).join('\r\n'),
        'Authorization: \u00ff\u00fe',
        'Authorization: Bearer ',
        'Connection: close, upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x',
        'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk',
        'Expect: 200-ok',
        'Host: b',
        'Range: bytes=-1',
        'Accept-Encoding: gzip;q=nan, *;q=9',
        'X-Request-Id: \u0001',
        '__proto__: x',
      ]),
    ]),
  'ends of lines': (dice) => {
    const end = dice.pick(['\n', '\r', '\n\r', '\r\r\n', ' \r\n', '\u0085', ''])
    return `GET /tests HTTP/1.1${end}Host: a${end}${end}`
  },
  length: (dice, token) =>
    post(
      token,
      [
        `Content-Length: ${dice.pick(['-1', '+2', '2 ', '0x2', '2,2', '1e1', '99999999999999999999', '', 'NaN', '3', '1', '2;x'])}`,
      ],
      '{}',
    ),
  'two lengths': (dice, token) =>
    refused(post(token, ['Content-Length: 2', `Content-Length: ${dice.pick(['3', '2', '0'])}`], `{}${smuggled}`)),
  'length and chunks': (dice, token) =>
    refused(
      post(
        token,
        dice.pick([
          ['Content-Length: 2', 'Transfer-Encoding: chunked'],
          ['Transfer-Encoding: chunked', 'Content-Length: 6'],
        ]),
        `0\r\n\r\n${smuggled}`,
      ),
    ),
  encodings: (dice, token) =>
    refused(
      post(
        token,
        [
          `Transfer-Encoding: ${dice.pick(['xchunked', 'chunked, identity', 'chunked, chunked', 'identity', 'gzip', '\u000bchunked', 'chunked;x'])}`,
        ],
        `0\r\n\r\n${smuggled}`,
      ),
    ),
  chunks: (dice, token) =>
    post(
      token,
      ['Transfer-Encoding: chunked'],
      dice.pick([
        'zz\r\n{}\r\n0\r\n\r\n',
        '-2\r\n{}\r\n0\r\n\r\n',
        '2\r\n{}0\r\n\r\n',
        'ffffffffffffffffff\r\n{}',
        '2;ext="\u0000"\r\n{}\r\n0\r\n\r\n',
        `2;${'x'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`,
        '2\n{}\n0\n\n',
        '2\r\n{}\r\n0\r\nX: y\r\n\r\n',
        `2\r\n{}\r\n0\r\n${'X: y\r\n'.repeat(4_000)}\r\n`,
        '0x2\r\n{}\r\n0\r\n\r\n',
        '2\r\n{}\r\n',
        `${'1\r\n \r\n'.repeat(30_000)}0\r\n\r\n`,
        '200000\r\n',
      ]),
    ),
  'broken off': (dice, token) => {
    const whole = post(
      token,
      ['Content-Length: 60'],
      `${JSON.stringify({ test: 'ping', date: { from: '2026', to: '2026' } })}         `,
    )
    return whole.slice(0, dice.between(0, whole.length - 1))
  },
  'in pieces': (dice, token) => {
    const whole = Buffer.from(get('/tests', [`Authorization: ${token}`]))
    const at = dice.between(0, whole.length)
    return { target: 'api', pieces: [whole.subarray(0, at), whole.subarray(at)] }
  },
  'requests in a row': (dice, token) => {
    const good = get('/tests', [`Authorization: ${token}`])
    return `${good.repeat(dice.between(1, 30))}${dice.pick(['', 'NONSENSE\r\n\r\n', good.slice(0, -3), '\u0000'])}`
  },
  'packed rows': (dice, token) => ingest(token, dice.pick(['gzip', 'zstd']), packed(dice)),
}

/**
 * A compressed body for an ingest request. It is valid, or it decompresses to garbage or to zero bytes, or it cannot be
 * decompressed.
 */
function packed(dice: Dice): Buffer {
  const row = Buffer.from('{"agent_id":"wb-0001","dtime":"2026-01-05 10:00:00.000"}\n')
  const whole = dice.pick([
    gzipSync(row),
    zstdCompressSync(row),
    gzipSync(gzipSync(row)),
    gzipSync(bytesOf(dice, 2_000)),
    gzipSync(''),
  ])
  return dice.pick([
    whole,
    whole.subarray(0, dice.between(0, whole.length)),
    Buffer.concat([whole, bytesOf(dice, 20)]),
    bytesOf(dice, 200),
    Buffer.concat([whole, whole]),
    gzipSync(Buffer.alloc(2_000_000)),
  ])
}

function ingest(token: string, encoding: string, body: Buffer): Omit<Garbage, 'kind'> {
  const lines = [
    'Host: a',
    `Authorization: Bearer ${token}`,
    'Connection: close',
    'Content-Type: application/x-ndjson',
    `Content-Encoding: ${encoding}`,
    `Content-Length: ${body.length}`,
  ]
  return { target: 'ingest', pieces: [Buffer.from(head('POST /ingest/ping HTTP/1.1', lines)), body] }
}

const kinds = Object.entries(makers)

export function makeGarbage(dice: Dice, token: string): Garbage {
  const [kind, make] = dice.pick(kinds)
  const made = make(dice, token)
  if (typeof made === 'string') return { kind, target: 'api', pieces: [Buffer.from(made, 'latin1')] }
  return Buffer.isBuffer(made) ? { kind, target: 'api', pieces: [made] } : { kind, ...made }
}

/**
 * A body of 80 members that decompress to 64 MiB of line ends each. That is 5 GiB, ten times the limit. The compressed
 * body has 5 MB with gzip and 165 KB with zstd.
 */
export function bomb(token: string, encoding: 'gzip' | 'zstd'): Garbage {
  const lines = Buffer.alloc(64 * 1024 * 1024, '\n')
  const member = encoding === 'gzip' ? gzipSync(lines) : zstdCompressSync(lines)
  return {
    kind: `bomb of ${encoding}`,
    ...ingest(token, encoding, Buffer.concat(Array.from({ length: 80 }, () => member))),
  }
}
