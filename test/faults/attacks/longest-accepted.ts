import type { Schema } from '../../../src/http/openapi/schema.ts'
import { ping } from '../../ingest/ingest-world.ts'
import { bodiesNear } from '../../http/openapi/bodies-near.ts'
import { document, documented } from '../../http/openapi/document.ts'

/** JSON.rawJSON, which TypeScript's library does not declare yet. It writes a text into JSON unchanged. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown }

export type LongRequest = {
  readonly operation: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/**
 * A position in a request whose value may be long. `requests` returns requests with the longest values that fit there.
 */
export type Position = { readonly name: string; readonly requests: (filler: string) => readonly LongRequest[] }

/** Texts that are repeated to make a long value. Regular expressions, parsers and comparisons are slow for them. */
export const fillers = ['a', 'x://a:', 'bg_', '\\"', '😀', ' -', '1', 'A:', '%_', '..']

type Path = readonly (string | number)[]
/**
 * `max` is the limit in the OpenAPI document: the number of characters of a text, or of items of a list. It is
 * undefined if the document has no limit.
 */
type Place = { readonly path: Path; readonly kind: 'text' | 'number' | 'list' | 'names'; readonly max?: number }

const bodyOf: Record<string, string> = {
  'POST /metric_data.csv': 'POST /metric_data',
  'POST /test_data.csv': 'POST /test_data',
}

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)

/** The schema to which a reference points, or the alternative that fits the value. */
function schemaFor(schema: Schema | undefined, value: unknown): Schema {
  if (schema === undefined) return {}
  const { $ref, anyOf, properties } = schema as { $ref?: string; anyOf?: Schema[]; properties?: object }
  if ($ref !== undefined) {
    const found = $ref
      .split('/')
      .slice(1)
      .reduce<unknown>((at, key) => (at as Schema)[key], document)
    return schemaFor(found as Schema, value)
  }
  if (anyOf === undefined || properties !== undefined) return schema
  return anyOf.find((one) => one['type'] === typeOf(value)) ?? schema
}

function placesIn(whole: Schema | undefined, value: unknown, path: Path = []): Place[] {
  const schema = schemaFor(whole, value) as Record<string, unknown>
  const max = (key: string) => (typeof schema[key] === 'number' ? { max: schema[key] } : {})
  if (typeof value === 'string') return [{ path, kind: 'text', ...max('maxLength') }]
  if (typeof value === 'number') return [{ path, kind: 'number' }]
  if (typeof value !== 'object' || value === null) return []
  const inner = (key: string) =>
    (Array.isArray(value)
      ? schema['items']
      : ((schema['properties'] as Record<string, Schema> | undefined)?.[key] ?? schema['additionalProperties'])) as
      | Schema
      | undefined
  return [
    Array.isArray(value)
      ? { path, kind: 'list', ...max('maxItems') }
      : { path, kind: 'names', ...max('maxProperties') },
    ...Object.entries(value).flatMap(([key, item]) => placesIn(inner(key), item, [...path, key])),
  ]
}

function replaced(value: unknown, [step, ...rest]: Path, change: (old: unknown) => unknown): unknown {
  if (step === undefined) return change(value)
  if (Array.isArray(value)) return value.with(Number(step), replaced(value[Number(step)], rest, change))
  const object = value as Record<string, unknown>
  return { ...object, [step]: replaced(object[step], rest, change) }
}

const textOf = (filler: string, bytes: number): string =>
  filler.repeat(Math.max(1, Math.floor(bytes / (Buffer.byteLength(JSON.stringify(filler)) - 2))))

/**
 * Values for a position: the longest value that the OpenAPI document allows, and the longest value that fits into
 * `room` bytes, the free space in the body.
 */
function longest({ kind, max }: Place, filler: string, room: number): ((old: unknown) => unknown)[] {
  if (kind === 'number')
    return [Number.MAX_SAFE_INTEGER, rawJSON(`0.${'1'.repeat(room)}`), rawJSON(`1${'0'.repeat(room)}`)].map(
      (number) => () => number,
    )
  if (kind === 'text') {
    const allowed = max === undefined ? [] : [textOf(filler, room).slice(0, max)]
    return [...allowed, textOf(filler, room)].map((text) => () => text)
  }
  const few = (count: number) =>
    Array.from({ length: count }, (_, index) => `${index}${textOf(filler, room / count - 24)}`)
  const counts = [2, max ?? 1_000, Math.floor(room / 24)].filter((count, index, all) => all.indexOf(count) === index)
  return counts.map((count) => (old: unknown) => {
    if (kind === 'names')
      return { ...(old as object), ...Object.fromEntries(few(count).map((name) => [name, name.slice(0, 3)])) }
    const [first] = old as unknown[]
    return typeof first === 'object' ? Array.from({ length: count }, () => first) : few(count)
  })
}

const json = { 'content-type': 'application/json' }

/**
 * Returns two bodies that the attack changes: the first example of the OpenAPI document, and a body with every field.
 */
function basesOf(operation: string): unknown[] {
  const examples = documented.get(operation)?.requestBody?.content?.['application/json']?.examples ?? {}
  return [
    ...Object.values(examples)
      .map(({ value }) => value)
      .slice(0, 1),
    ...bodiesNear(bodyOf[operation] ?? operation).slice(0, 1),
  ]
}

/**
 * Returns the attacked positions of every body. A request for a position makes the value at this position long. One
 * further position per body stands for all its texts and numbers: its requests make all of them long.
 */
function inBodies(bytesMax: number): Position[] {
  return [...documented.keys()].flatMap((operation) =>
    basesOf(operation).flatMap((base, number) => {
      const schema = documented.get(operation)?.requestBody?.content?.['application/json']?.schema as Schema | undefined
      const places = placesIn(schema, base)
      const room = bytesMax - Buffer.byteLength(JSON.stringify(base)) - 64
      const ask = (body: unknown): LongRequest => ({
        operation,
        path: operation.split(' ')[1] ?? '',
        headers: json,
        body: JSON.stringify(body),
      })
      const alone = places.map((place): Position => ({
        name: `${operation} ${number} ${place.kind} ${place.path.join('.')}`,
        requests: (filler) => longest(place, filler, room).map((change) => ask(replaced(base, place.path, change))),
      }))
      const leaves = places.filter(({ kind }) => kind === 'text' || kind === 'number')
      const together = (filler: string) =>
        leaves.reduce((body, place) => {
          const [change] = longest(place, filler, Math.floor(room / leaves.length))
          return change === undefined ? body : replaced(body, place.path, change)
        }, base)
      return [...alone, { name: `${operation} ${number} all together`, requests: (filler) => [ask(together(filler))] }]
    }),
  )
}

const right: Record<string, string> = { id: 'isp', field: 'unit', value: '1001', test: 'ping' }
const asks = [
  '/tests?kind=',
  '/tests?x=',
  '/filters/isp/values?search=',
  '/filters/custom.region/values?search=',
  '/filters/target/values?limit=1000&search=',
]

/** Long paths and queries, up to the size that Node accepts for a request line and headers. */
function inAddresses(headerBytesMax: number): Position[] {
  const encoded = (filler: string, bytes: number) => {
    const one = encodeURIComponent(filler)
    return one.repeat(Math.max(1, Math.floor(bytes / one.length)))
  }
  const sizes = [255, 3_000, headerBytesMax - 1_000]
  const ask = (operation: string, path: string): LongRequest => ({ operation, path, headers: {}, body: null })
  const inPaths = [...documented.keys()].flatMap((operation) => {
    const [method = '', template = ''] = operation.split(' ')
    if (method !== 'GET') return []
    return [...template.matchAll(/\{(\w+)\}/g)].map(([whole, name = '']): Position => ({
      name: `${operation} ${whole}`,
      requests: (filler) =>
        sizes.map((bytes) => {
          const value = (other: string) => (other === name ? encoded(filler, bytes) : (right[other] ?? ''))
          return ask(
            operation,
            template.replaceAll(/\{(\w+)\}/g, (_match, other: string) => value(other)),
          )
        }),
    }))
  })
  const inQueries = asks.map((start): Position => ({
    name: `GET ${start}…`,
    requests: (filler) => sizes.map((bytes) => ask('GET', `${start}${encoded(filler, bytes)}`)),
  }))
  return [...inPaths, ...inQueries]
}

/** Replaces characters that HTTP does not permit in a header. */
const asHeader = (text: string): string => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')
const headerNames = [
  'x-request-id',
  'idempotency-key',
  'accept',
  'accept-encoding',
  'traceparent',
  'x-forwarded-for',
  'user-agent',
  'cookie',
  'content-type',
]

const inHeaders = (headerBytesMax: number): Position[] =>
  headerNames.map((header) => ({
    name: `header ${header}`,
    requests: (filler) =>
      [255, headerBytesMax - 1_000].map((bytes) => ({
        operation: 'POST /test_data',
        path: '/test_data',
        headers: { ...json, [header]: asHeader(textOf(filler, bytes)) },
        body: JSON.stringify({ test: 'ping', date: { from: '2026-01-05', to: '2026-01-05' } }),
      })),
  }))

/** Long texts in results: the longest that the service stores, and the longest that a row may have. */
const inResults = (): Position[] =>
  ['agent_id', 'dtime', 'target', 'rtt_avg', 'unheard_of'].map((column) => ({
    name: `POST /ingest/{test} ${column}`,
    requests: (filler) =>
      [2_048, 1_000_000].map((bytes) => ({
        operation: 'POST /ingest/{test}',
        path: '/ingest/ping',
        headers: { 'content-type': 'application/x-ndjson' },
        body: JSON.stringify({ ...ping({ agent_id: 'wb-0001' }), [column]: textOf(filler, bytes) }),
      })),
  }))

export const longPositions = (bytesMax: number, headerBytesMax: number): readonly Position[] => [
  ...inBodies(bytesMax),
  ...inAddresses(headerBytesMax),
  ...inHeaders(headerBytesMax),
  ...inResults(),
]
