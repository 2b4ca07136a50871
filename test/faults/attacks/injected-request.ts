import { writtenCursor, type Cursor } from '../../../src/execute/paging/cursor.ts'
import { ping } from '../../ingest/ingest-world.ts'
import { validBodies } from '../../http/openapi/bodies-near.ts'
import { documented } from '../../http/openapi/document.ts'

type InjectedRequest = {
  readonly operation: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** A position in a request where the caller chooses a string. */
export type Position = { readonly name: string; readonly inject: (text: string) => InjectedRequest }

const bodyOf: Record<string, string> = {
  'POST /metric_data.csv': 'POST /metric_data',
  'POST /test_data.csv': 'POST /test_data',
}

/** The examples of the OpenAPI document, and bodies that have every field between them. */
function basesOf(operation: string): unknown[] {
  const examples = documented.get(operation)?.requestBody?.content?.['application/json']?.examples ?? {}
  return [...Object.values(examples).map(({ value }) => value), ...validBodies(bodyOf[operation] ?? operation)]
}

type Path = readonly (string | number)[]

/** The paths of all texts, numbers and truth values in a value, and of all names in its objects (`isName`). */
function placesIn(value: unknown, path: Path = []): { path: Path; isName: boolean }[] {
  if (value === null) return []
  if (typeof value !== 'object') return [{ path, isName: false }]
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(Array.isArray(value) ? [] : [{ path: [...path, key], isName: true }]),
    ...placesIn(inner, [...path, key]),
  ])
}

function replaced(value: unknown, [step, ...rest]: Path, isName: boolean, text: string): unknown {
  if (step === undefined) return text
  const changed = Object.entries(value as object).map(([key, inner]): [string, unknown] => {
    if (key !== step) return [key, inner]
    return isName && rest.length === 0 ? [text, inner] : [key, replaced(inner, rest, isName, text)]
  })
  return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed)
}

const json = { 'content-type': 'application/json' }
/** A question that must exist, and its key. */
export const [question] = validBodies('PUT /questions/{key}')
export const questionKey = 'weekly'

const right: Record<string, string> = { id: 'isp', field: 'unit', value: '1001', test: 'ping', key: questionKey }

const pathOf = (operation: string): string =>
  (operation.split(' ')[1] ?? '').replaceAll(/\{(\w+)\}/g, (whole, name: string) => right[name] ?? whole)

/** Several bodies have a value or name at the same place. One of them is enough. */
const inBodies = [...documented.keys()].flatMap((operation) => {
  const all = basesOf(operation).flatMap((base) =>
    placesIn(base).map(({ path, isName }): Position => ({
      name: `${operation} ${isName ? 'name of ' : ''}${path.join('.')}`,
      inject: (text) => ({
        operation,
        path: pathOf(operation),
        headers: json,
        body: JSON.stringify(replaced(base, path, isName, text)),
      }),
    })),
  )
  return [...new Map(all.map((position) => [position.name, position])).values()]
})

const inPaths = [...documented.keys()].flatMap((operation) => {
  const template = operation.split(' ')[1] ?? ''
  return [...template.matchAll(/\{(\w+)\}/g)].map(([whole, name = '']): Position => ({
    name: `${operation} ${whole}`,
    inject: (text) => ({
      operation,
      path: template.replaceAll(/\{(\w+)\}/g, (_match, other: string) =>
        other === name ? encodeURIComponent(text.toWellFormed()) : (right[other] ?? ''),
      ),
      headers: operation.startsWith('POST') ? { 'content-type': 'application/x-ndjson' } : {},
      body: operation.startsWith('POST') ? JSON.stringify(ping({ agent_id: 'wb-0001' })) : null,
    }),
  }))
})

function parametersOf(operation: string): string[] {
  const parameters = (documented.get(operation) as { parameters?: { name: string; in: string }[] })?.parameters ?? []
  return parameters.filter((one) => one.in === 'query').map(({ name }) => name)
}

const asks: [string, (encoded: string) => string][] = [
  ['GET /tests', (text) => `/tests?kind=${text}`],
  ['GET /tests', (text) => `/tests?${text}=1`],
  ['GET /filters/{id}/values', (text) => `/filters/isp/values?search=${text}`],
  ['GET /filters/{id}/values', (text) => `/filters/custom.region/values?search=${text}`],
  ['GET /filters/{id}/values', (text) => `/filters/agent/values?search=${text}`],
  ['GET /filters/{id}/values', (text) => `/filters/target/values?search=${text}&limit=5`],
  ['GET /filters/{id}/values', (text) => `/filters/unit/values?limit=${text}`],
]
const metricData = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'hourly',
  normalised: false,
  prefilter: false,
  time: { from: '2026-01-05', to: '2026-01-05' },
}

/** A request in the query string with one parameter more. If it has the parameter twice, the service refuses it. */
const asked = (parameter: string): string => {
  const others = ['metric=httpget', 'aggregation=daily', 'from=2026-01-05', 'to=2026-01-05', 'split=isp']
  const [name = ''] = parameter.split('=')
  return `/metric_data?${[...others.filter((one) => !one.startsWith(`${name}=`)), parameter].join('&')}`
}

const ofMetricData: readonly ((encoded: string) => string)[] = [
  ...parametersOf('GET /metric_data').map((name) => (text: string) => asked(`${name}=${text}`)),
  ...['filter.isp', 'filter.isp.matches', 'filter.unit.at_least', 'filter.custom.region', 'compare.filter.isp'].map(
    (name) => (text: string) => asked(`${name}=${text}`),
  ),
  (text) => asked(`${text}=1`),
  (text) => asked(`filter.${text}=1`),
  (text) => asked(`filter.isp.${text}=1`),
  (text) => asked(`compare.filter.${text}=1`),
  (text) => asked(`having.${text}.atLeast=1`),
  (text) => asked(`having.metricValue.${text}=1`),
  (text) => asked(`having.metricValue.atLeast=${text}`),
  (text) => asked(`limit=3&after=${text}`),
]
for (const path of ofMetricData) asks.push(['GET /metric_data', path])
for (const name of [...parametersOf('GET /questions/{key}/data'), 'filter.isp', 'filter.isp.matches'])
  asks.push(['GET /questions/{key}/data', (text) => `/questions/${questionKey}/data?${name}=${text}`])
asks.push(['GET /questions/{key}/data', (text) => `/questions/${questionKey}/data?${text}=1`])

const inQueries = asks.map(([operation, path]): Position => ({
  name: path('…'),
  inject: (text) => ({ operation, path: path(encodeURIComponent(text.toWellFormed())), headers: {}, body: null }),
}))

/** Replaces characters that HTTP does not permit in a header. */
const asHeader = (text: string): string => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')
const inHeaders = ['x-request-id', 'idempotency-key', 'accept', 'traceparent', 'x-forwarded-for', 'user-agent'].map(
  (header): Position => ({
    name: header,
    inject: (text) => ({
      operation: 'PUT /metadata',
      path: '/metadata',
      headers: { ...json, [header]: asHeader(text) },
      body: JSON.stringify({ agent: { unit_id: 1001 }, metadata: { custom: { region: text } } }),
    }),
  }),
)

/** The organisation of the attacked world is the first of its database. */
const organisationId = 1
const member = { asked: 1_767_600_000_000, storedBefore: 1_767_600_000_000, state: 'x' }
const ofRow = { panel: 1, agent: 1, dtime: '2026-01-05 00:00:00.000', skip: 0 }
const ofPoint = { point: 1, digest: 'x' }
const readsPages: readonly [string, object, Record<string, unknown>][] = [
  ['/metric_data', { ...metricData, chartType: 'raw' }, ofRow],
  ['/metric_data', metricData, ofPoint],
  ['/test_data', { test: 'httpget', date: { from: '2026-01-05', to: '2026-01-05' } }, ofRow],
]

/** Cursors with a right seal: it has no secret, so a caller who knows how can write a cursor. */
const inCursors = readsPages.flatMap(([path, request, place]) =>
  [...Object.keys(member), ...Object.keys(place).map((name) => `position.${name}`), null].map((name): Position => {
    const bound = { scope: { organisationId }, endpoint: path, request: { ...request, limit: 3 } }
    return {
      name: `a cursor of ${path} with ${'panel' in place ? 'rows' : 'points'}: ${name ?? 'unaltered'}`,
      inject: (text) => {
        const cursor = { ...member, position: place }
        const altered = name === null ? cursor : replaced(cursor, name.split('.'), false, text)
        const after = writtenCursor(altered as Cursor, bound)
        return { operation: `POST ${path}`, path, headers: json, body: JSON.stringify({ ...bound.request, after }) }
      },
    }
  }),
)

const inResults = ['agent_id', 'dtime', 'target', 'rtt_avg', 'successes'].map((column): Position => ({
  name: `a result’s ${column}`,
  inject: (text) => ({
    operation: 'POST /ingest/{test}',
    path: '/ingest/ping',
    headers: { 'content-type': 'application/x-ndjson' },
    body: JSON.stringify(ping({ agent_id: 'wb-0001', [column]: text })),
  }),
}))

export const positions: readonly Position[] = [
  ...inBodies,
  ...inPaths,
  ...inQueries,
  ...inHeaders,
  ...inCursors,
  ...inResults,
]
