import fc from 'fast-check'
import { bodiesNear } from '../../http/openapi/bodies-near.ts'
import { documented } from '../../http/openapi/document.ts'
import { ping } from '../../ingest/ingest-world.ts'
import { changedText, changes } from './hostile-json.ts'

type TokenState = 'everything' | 'data only' | 'none' | 'nonsense'

export type GeneratedRequest = {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly token: TokenState
  readonly body: Buffer | null
}

const bodyOf: Record<string, string> = {
  'POST /metric_data.csv': 'POST /metric_data',
  'POST /test_data.csv': 'POST /test_data',
}

/** The examples of the document, and then bodies from bodies-near.ts: a valid one and variants of it. */
function basesOf(operation: string): unknown[] {
  const examples = documented.get(operation)?.requestBody?.content?.['application/json']?.examples ?? {}
  return [
    ...Object.values(examples).map(({ value }) => value),
    ...bodiesNear(bodyOf[operation] ?? operation).slice(0, 3),
  ]
}

/**
 * All operations. The operation that always fails, and operations that write a file or a part in ClickHouse, are chosen
 * less often.
 */
const operations = fc.oneof(
  ...[...documented.keys()].map((operation) => ({
    weight: /csv|_download|ingest|internal-server-error/.test(operation) ? 1 : 4,
    arbitrary: fc.constant(operation),
  })),
)

const percent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** Parts of a path or a query, as written in the address. Some are malformed. */
const places = fc.oneof(
  fc.constantFrom(
    'agent',
    'unit',
    'mac',
    'wb0001',
    '1001',
    'country',
    'isp',
    'custom.region',
    'ping',
    'dns',
    'g',
    '1',
    '20',
  ),
  fc.constantFrom(
    '00000000-0000-4000-8000-000000000000',
    '%00',
    '%ff%fe',
    '%c0%80',
    '%',
    '%zz',
    '%2e%2e%2f',
    '..',
    '%ed%a0%80',
  ),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '-1',
    '1e400',
    '9007199254740993',
    '0',
    '',
    '%20',
    '%0d%0a',
  ),
  fc.constantFrom(
    'custom.__proto__',
    'custom.',
    'custom.%00',
    `custom.${'%f0%9f%98%80'.repeat(255)}`,
    'a'.repeat(3_067),
    'a'.repeat(3_068),
  ),
  fc.string({ unit: 'binary', maxLength: 60 }).map(percent),
  fc.string({ maxLength: 20 }).map(encodeURIComponent),
)

const query = fc.array(
  fc.tuple(
    fc.oneof(fc.constantFrom('kind', 'search', 'limit', 'kind[]', '__proto__', ''), fc.string().map(percent)),
    places,
  ),
  { maxLength: 3 },
)

const headers = fc.record(
  {
    'idempotency-key': fc.oneof(
      fc.constantFrom('same', 'x'.repeat(255), 'x'.repeat(256), '\u00ff', 'a b', ''),
      fc.uuid(),
    ),
    'content-type': fc.constantFrom(
      'application/json; charset=utf-16',
      'text/plain',
      'application/json;charset=UTF-8',
      'multipart/form-data',
      '',
      'text/csv',
      'application/x-ndjson',
      '__proto__',
      'application/json; charset=',
    ),
    'content-encoding': fc.constantFrom('gzip', 'zstd', 'identity', 'br', 'x'),
    accept: fc.constantFrom('text/html', '*/*', 'image/png;q=0', 'x'),
    'accept-encoding': fc.constantFrom('gzip', 'br', 'zstd', 'identity;q=0', '*;q=0', 'x'),
    'x-request-id': fc.constantFrom('x', 'x'.repeat(65), '\u00e9', '../..', 'a b'),
    'if-none-match': fc.constant('*'),
    range: fc.constant('bytes=0-1'),
  },
  { requiredKeys: [] },
)

const tokens = fc.oneof(
  { weight: 30, arbitrary: fc.constant<TokenState>('everything') },
  { weight: 1, arbitrary: fc.constantFrom<TokenState>('data only', 'none', 'nonsense') },
)

/** Generates null `weight` times as often as a value. */
const seldom = <Value>(arbitrary: fc.Arbitrary<Value>, weight: number): fc.Arbitrary<Value | null> =>
  fc.oneof({ weight: 1, arbitrary }, { weight, arbitrary: fc.constant(null) })

const damage = fc.record({ at: fc.nat(), byte: fc.nat(255), how: fc.constantFrom('set', 'cut', 'insert') })

export const generatedRequest: fc.Arbitrary<GeneratedRequest> = fc
  .record({
    operation: operations,
    base: fc.nat(),
    changes,
    damage: seldom(damage, 15),
    places: fc.array(places, { minLength: 3, maxLength: 3 }),
    query: seldom(query, 1),
    headers: seldom(headers, 4),
    token: tokens,
  })
  .map((made) => {
    const [method = '', template = ''] = made.operation.split(' ')
    let place = 0
    const path = template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
      place += 1
      // Use a valid part of the path in half of the cases. Otherwise almost every request would be refused because of
      // its path.
      if ((made.base + place) % 2 === 0 && name in right) return right[name] ?? ''
      return made.places[place - 1] ?? ''
    })
    const asked = method === 'GET' ? (made.query ?? []).map((pair) => pair.join('=')).join('&') : ''
    const body = bodyText(made.operation, made.base, made.changes)
    return {
      operation: operationAt(method, path) ?? made.operation,
      method,
      path: asked === '' ? path : `${path}?${asked}`,
      headers: { ...typeOf(made.operation), ...made.headers },
      token: made.token,
      body: body === null ? null : damaged(Buffer.from(body), made.damage),
    }
  })

/** An empty last part of a path leads to another operation, because the service ignores trailing slashes. */
function operationAt(method: string, path: string): string | null {
  const operation = `${method} ${path.replace(/\/+$/, '')}`
  return path.endsWith('/') && documented.has(operation) ? operation : null
}

const right: Record<string, string> = { id: 'isp', field: 'unit', value: '1001', test: 'ping' }

const typeOf = (operation: string): Record<string, string> => {
  if (operation.includes('ingest')) return { 'content-type': 'application/x-ndjson' }
  return /^(POST|PUT)/.test(operation) ? { 'content-type': 'application/json' } : {}
}

function bodyText(operation: string, base: number, wanted: Parameters<typeof changedText>[1]): string | null {
  if (operation.includes('ingest')) {
    const row = ping({ agent_id: 'wb-0001' })
    return [changedText(row, wanted), changedText(row, wanted.slice(1)), changedText(row, [])]
      .slice(base % 3)
      .join('\n')
  }
  const bases = basesOf(operation)
  return bases.length === 0 ? null : changedText(bases[base % bases.length], wanted)
}

function damaged(body: Buffer, how: { at: number; byte: number; how: string } | null): Buffer {
  if (how === null || body.length === 0) return body
  const at = how.at % body.length
  if (how.how === 'cut') return body.subarray(0, at)
  const rest = body.subarray(how.how === 'set' ? at + 1 : at)
  return Buffer.concat([body.subarray(0, at), Buffer.from([how.byte]), rest])
}
