import { ping } from '../../ingest/ingest-world.ts'
import { bodiesNear } from '../../http/openapi/bodies-near.ts'
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

/** The examples of the OpenAPI document, and a body with every field. */
function basesOf(operation: string): unknown[] {
  const examples = documented.get(operation)?.requestBody?.content?.['application/json']?.examples ?? {}
  return [
    ...Object.values(examples).map(({ value }) => value),
    ...bodiesNear(bodyOf[operation] ?? operation).slice(0, 1),
  ]
}

type Path = readonly (string | number)[]

/** The paths of all strings in a value, and of all names in its objects (`isName`). */
function stringsIn(value: unknown, path: Path = []): { path: Path; isName: boolean }[] {
  if (typeof value === 'string') return [{ path, isName: false }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(Array.isArray(value) ? [] : [{ path: [...path, key], isName: true }]),
    ...stringsIn(inner, [...path, key]),
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
const right: Record<string, string> = { id: 'isp', field: 'unit', value: '1001', test: 'ping' }

const inBodies = [...documented.keys()].flatMap((operation) =>
  basesOf(operation).flatMap((base, number) =>
    stringsIn(base).map(({ path, isName }): Position => ({
      name: `${operation} ${number} ${isName ? 'name of ' : ''}${path.join('.')}`,
      inject: (text) => ({
        operation,
        path: operation.split(' ')[1] ?? '',
        headers: json,
        body: JSON.stringify(replaced(base, path, isName, text)),
      }),
    })),
  ),
)

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

const asks: [string, (encoded: string) => string][] = [
  ['GET /tests', (text) => `/tests?kind=${text}`],
  ['GET /tests', (text) => `/tests?${text}=1`],
  ['GET /filters/{id}/values', (text) => `/filters/isp/values?search=${text}`],
  ['GET /filters/{id}/values', (text) => `/filters/custom.region/values?search=${text}`],
  ['GET /filters/{id}/values', (text) => `/filters/agent/values?search=${text}`],
  ['GET /filters/{id}/values', (text) => `/filters/target/values?search=${text}&limit=5`],
  ['GET /filters/{id}/values', (text) => `/filters/unit/values?limit=${text}`],
]
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

const inResults = ['agent_id', 'dtime', 'target', 'rtt_avg', 'successes'].map((column): Position => ({
  name: `a result’s ${column}`,
  inject: (text) => ({
    operation: 'POST /ingest/{test}',
    path: '/ingest/ping',
    headers: { 'content-type': 'application/x-ndjson' },
    body: JSON.stringify(ping({ agent_id: 'wb-0001', [column]: text })),
  }),
}))

export const positions: readonly Position[] = [...inBodies, ...inPaths, ...inQueries, ...inHeaders, ...inResults]
