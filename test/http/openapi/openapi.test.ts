import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aggregations } from '../../../src/catalog/aggregations.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { linkForms } from '../../../src/http/links/answer-link.ts'
import { routes } from '../../../src/http/routes/index.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call, type Answer } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { answerFaults, document, documented, requestFaults } from './document.ts'
import { bodiesNear, operationsWithBodies, validBodies } from './bodies-near.ts'

let world: World
let service: Service
let everything: string
const deep = process.env['BROADGAUGE_TEST_DEEP'] === '1'

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'north')
  everything = await token(world, 'north', [
    'data:read',
    'metadata:read',
    'metadata:write',
    'ingest:write',
    'questions:write',
  ])
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'homes', name: 'Homes', owner: 'north' })
    const rows = [
      agent({ agent_id: 'wb-0001', unit_id: '1001' }),
      agent({ agent_id: 'phone', kind: 'mobile', unit_id: null, base: null }),
    ]
    await importAgents(operator, 'homes', asLines(rows.map((row, index) => ({ line: index + 2, row }))), () => {})
  })
  for (const test of catalog.tests) {
    const values = Object.fromEntries(test.columns.map(({ name, type }) => [name, type === 'text' ? 'x' : 60]))
    const who = test.family === 'unit' ? 'wb-0001' : 'phone'
    const at = (hour: number) => `2026-01-05 ${hour}:00:00.000`
    await storeFacts(
      world,
      test.key,
      [12, 15, 21].map((hour) => ({ agent: who, dtime: at(hour), ...values })),
    )
  }
  service = await world.serve()
})
afterAll(() => world.close())

const send = (method: string, path: string, body?: unknown, given = everything): Promise<Answer> =>
  call(`${service.addresses.api}${path}`, {
    method,
    token: `Bearer ${given}`,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })

describe('the document', () => {
  it('is OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document))
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
  })

  it('has every route and no other', () => {
    const shared = linkForms.map(({ path }) => ({ method: 'GET', path }))
    const served = [...routes, ...shared].map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    expect([...documented.keys()].toSorted()).toEqual(served.toSorted())
  })

  it('describes the 429 of every route that needs a token', () => {
    const silent = [...documented].filter(([, { security, responses }]) => security.length > 0 && !('429' in responses))
    expect(silent.map(([operation]) => operation)).toEqual([])
  })

  it('has a unique name for every operation', () => {
    const names = [...documented.values()].map(({ operationId }) => operationId)
    expect(new Set(names).size).toBe(names.length)
  })

  it('is served without a token, and so is a page that shows it without loading from another host', async () => {
    const served = await call(`${service.addresses.api}/openapi.json`)
    expect(Object.keys(served.body['paths'] as object)).toEqual(Object.keys(document['paths'] as object))
    const refused = await call(`${service.addresses.api}/openapi.json`, { method: 'DELETE' })
    expect(refused.status).toBe(405)
    const page = await fetch(`${service.addresses.api}/docs`)
    const reference = await fetch(new URL('reference', page.url))
    const spelled = await fetch(`${service.addresses.api}/%64ocs/?x`)
    for (const one of [page, reference, spelled]) {
      const policy = one.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toMatch(/script-src 'self'(;|$)/)
      expect(await one.text()).not.toMatch(/https?:|<script[^>]*>[^<]/)
    }
    expect(reference.headers.get('content-security-policy')).toMatch(/sandbox (?!.*allow-same-origin)/)
    const script = await fetch(new URL('js/scalar.js', page.url))
    expect(script.status).toBe(200)
    expect(script.headers.get('content-type')).toContain('javascript')
  })
})

describe('its examples', () => {
  const examples = [...documented].flatMap(([operation, { requestBody }]) =>
    Object.entries(requestBody?.content?.['application/json']?.examples ?? {}).map(
      ([name, { value }]) => [operation, name, value] as const,
    ),
  )
  beforeAll(async () => {
    await send('PUT', '/metadata', { agent: { unit_id: 1001 }, metadata: { custom: { region: 'north' } } })
  })

  it.each(examples)('%s: %s works unchanged', async (operation, _name, body) => {
    expect(requestFaults(operation, body)).toEqual([])
    const [method = '', path = ''] = operation.split(' ')
    const answer = await send(method, path.replace('{key}', 'example'), body)
    expect(answer.body).toMatchObject({ code: 'OK' })
    expect(answerFaults(operation, answer.status, answer.body)).toEqual([])
  })
})

describe('real responses', () => {
  it.each(['/metrics', '/presets', '/tests', '/tests?kind=mobile', '/splits', '/filters'])('GET %s', async (path) => {
    const answer = await send('GET', path)
    expect(answer.status).toBe(200)
    expect((answer.body['data'] as unknown[]).length).toBeGreaterThan(0)
    expect(answerFaults(`GET ${path.replace(/\?.*/, '')}`, 200, answer.body)).toEqual([])
  })

  it('values of a filter', async () => {
    const answer = await send('GET', '/filters/country/values?search=g&limit=1')
    expect(answer.body['data']).toEqual([{ value: 'GB', label: 'GB' }])
    expect(answerFaults('GET /filters/{id}/values', 200, answer.body)).toEqual([])
  })

  it.each(catalog.tests.map(({ key }) => key))('records of %s', async (test) => {
    const answer = await send('POST', '/test_data', { test, date: { from: '2026-01', to: '2026-01' } })
    expect(answer.body['data']).toHaveLength(3)
    expect(answerFaults('POST /test_data', answer.status, answer.body)).toEqual([])
  })

  const time = { from: '2026-01-01 00:00', to: '2026-01-31 23:59' }
  const request = { metric: 'httpget', normalised: false, prefilter: false, time }

  it.each([
    ...aggregations.map(({ key }) => ({ chartType: 'aggregate', aggregation: key, splits: ['isp', 'threads'] })),
    { chartType: 'aggregate', aggregation: 'total', percentiles: 'none' },
    { chartType: 'raw', splits: ['package', 'ip_version'] },
  ])('points: %o', async (wanted) => {
    const answer = await send('POST', '/metric_data', { ...request, ...wanted })
    expect(JSON.stringify(answer.body)).toContain('metricValue')
    expect(answerFaults('POST /metric_data', answer.status, answer.body)).toEqual([])
  })

  it.each([
    ['/metric_data/estimate', { ...request, chartType: 'aggregate', aggregation: 'daily', splits: ['isp'] }],
    ['/metric_data/estimate', { ...request, chartType: 'raw' }],
    ['/test_data/estimate', { test: 'httpget', date: { from: '2026-01', to: '2026-01' } }],
  ])('what a request would cost: %s', async (path, body) => {
    const answer = await send('POST', path, body)
    expect(answer.body).toMatchObject({ data: { from: 'results', fits: true } })
    expect(answerFaults(`POST ${path}`, answer.status, answer.body)).toEqual([])
  })

  it('a question, its versions and its data', async () => {
    const points = { ...request, chartType: 'aggregate', aggregation: 'total' }
    const body = { name: 'Speed', request: points, parameters: ['isp'], chart: { kind: 'bar' } }
    const saved = await send('PUT', '/questions/speed', body)
    expect([saved.status, answerFaults('PUT /questions/{key}', 200, saved.body)]).toEqual([200, []])
    for (const tail of ['', '/{key}', '/{key}/versions', '/{key}/data']) {
      const answer = await send('GET', `/questions${tail.replace('{key}', 'speed')}`)
      expect([tail, answer.status, answerFaults(`GET /questions${tail}`, 200, answer.body)]).toEqual([tail, 200, []])
    }
    const refused = await send('GET', '/questions/speed/data?metric=latency')
    expect([refused.status, answerFaults('GET /questions/{key}/data', 422, refused.body)]).toEqual([422, []])
    const shared = await send('POST', '/questions/speed/links', { label: 'x', password: 'twelve letters' })
    expect([shared.status, answerFaults('POST /questions/{key}/links', 200, shared.body)]).toEqual([200, []])
    const { id, path } = shared.body['data'] as { id: number; path: string }
    const links = await send('GET', '/questions/speed/links')
    expect([links.status, answerFaults('GET /questions/{key}/links', 200, links.body)]).toEqual([200, []])
    const secret = await send('GET', `${path}.json`)
    expect([secret.status, answerFaults('GET /s/{secret}.json', 401, secret.body)]).toEqual([401, []])
    const basic = { authorization: `Basic ${btoa('x:twelve letters')}` }
    const read = await call(`${service.addresses.api}${path}.json`, { headers: basic })
    expect([read.status, answerFaults('GET /s/{secret}.json', 200, read.body)]).toEqual([200, []])
    const revoked = await send('DELETE', `/questions/speed/links/${id}`)
    expect([revoked.status, answerFaults('DELETE /questions/{key}/links/{id}', 200, revoked.body)]).toEqual([200, []])
    const ended = await call(`${service.addresses.api}${path}.json`, { headers: basic })
    expect([ended.status, answerFaults('GET /s/{secret}.json', 404, ended.body)]).toEqual([404, []])
    const removed = await send('DELETE', '/questions/speed')
    expect([removed.status, answerFaults('DELETE /questions/{key}', 200, removed.body)]).toEqual([200, []])
    const gone = await send('GET', '/questions/speed')
    expect([gone.status, answerFaults('GET /questions/{key}', 404, gone.body)]).toEqual([404, []])
  })

  it('metadata, a timeline, a dry run of a change', async () => {
    for (const path of ['/metadata/agent/wb0001', '/metadata/unit/1001/history']) {
      const answer = await send('GET', path)
      const operation = path.endsWith('history') ? '/metadata/{field}/{value}/history' : '/metadata/{field}/{value}'
      expect(answer.status).toBe(200)
      expect(answerFaults(`GET ${operation}`, 200, answer.body)).toEqual([])
    }
    const body = { agent: { unit_id: 1001 }, metadata: { timezone: 'Europe/Paris' }, dry_run: true }
    const tried = await send('PUT', '/metadata', body)
    expect(tried.body['data']).toMatchObject({ matched: 1 })
    expect(answerFaults('PUT /metadata', tried.status, tried.body)).toEqual([])
  })

  it('a report of stored and rejected rows', async () => {
    const answer = await call(`${service.addresses.ingest}/ingest/ping`, {
      method: 'POST',
      token: `Bearer ${everything}`,
      headers: { 'content-type': 'application/x-ndjson' },
      body: '{"agent_id":"wb-0001","dtime":"2026-11-14 09:00:00","target":"t","rtt_avg":1.5,"successes":1,"failures":0}\n',
    })
    expect(answer.body['data']).toMatchObject({ rejected: 1 })
    expect(answerFaults('POST /ingest/{test}', answer.status, answer.body)).toEqual([])
  })

  it('an export, from the request to its end', async () => {
    const asked = await send('POST', '/test_data.csv', { test: 'ping', date: { from: '2026', to: '2026' } })
    expect(answerFaults('POST /test_data.csv', asked.status, asked.body)).toEqual([])
    const { id } = asked.body['data'] as { id: string }
    const read = await send('GET', `/downloads/${id}`)
    expect([read.status, answerFaults('GET /downloads/{id}', 200, read.body)]).toEqual([200, []])
    const cancelled = await send('DELETE', `/downloads/${id}`)
    expect([cancelled.status, answerFaults('DELETE /downloads/{id}', 200, cancelled.body)]).toEqual([200, []])
    const gone = await send('GET', `/downloads/${id}`)
    expect([gone.status, answerFaults('GET /downloads/{id}', 404, gone.body)]).toEqual([404, []])
  })

  it('failures', async () => {
    const failures: [string, Answer][] = [
      ['GET /tests', await send('GET', '/tests', undefined, 'nobody')],
      ['GET /tests', await send('GET', '/tests?kind=none')],
      ['GET /metadata/{field}/{value}', await send('GET', '/metadata/unit/5')],
      ['PUT /metadata', await send('PUT', '/metadata', {})],
      ['GET /response-internal-server-error', await send('GET', '/response-internal-server-error')],
    ]
    for (const [operation, { status, body }] of failures) {
      expect(status).toBeGreaterThanOrEqual(400)
      expect(answerFaults(operation, status, body)).toEqual([])
    }
    expect(failures.map(([, { status }]) => status)).toEqual([403, 422, 404, 422, 500])
  })
})

it('refuses a base by peak with a window, also with that of a preset, as the service does', async () => {
  const peak = [{ id: 'peak', filterType: 'include', filterValues: ['off_peak'] }]
  const request = {
    metric: 'httpget',
    chartType: 'aggregate',
    aggregation: 'total',
    normalised: false,
    prefilter: false,
    time: { from: '2026-01-02', to: '2026-01-02' },
    compare: { filters: peak },
  }
  for (const [more, isRefused] of [
    [{}, false],
    [{ window: { hours: [20] } }, true],
    [{ preset: 'accc.busy-hours' }, true],
    [{ preset: 'accc.busy-hours', splits: ['peak'] }, false],
  ] as const) {
    const body = { ...request, ...more }
    const { status } = await send('POST', '/metric_data', body)
    expect({ more, status }).toEqual({ more, status: isRefused ? 422 : 200 })
    expect(requestFaults('POST /metric_data', body).length > 0).toBe(isRefused)
  }
})

/** Sends a body whose response may have another format than JSON. */
async function sendRaw(method: string, path: string, body: unknown): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${everything}`, 'content-type': 'application/json' }
  const response = await fetch(`${service.addresses.api}${path}`, { method, headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}

/**
 * Sends valid bodies, and the same bodies with one change. For each body, the document and the service must agree on
 * whether it is valid.
 */
describe('the document refuses exactly what the service refuses', () => {
  it.each(operationsWithBodies)(
    '%s',
    async (operation) => {
      const [method = '', path = ''] = operation.split(' ')
      // request-bodies.test.ts compares the document with the checks for every body.
      const sample = bodiesNear(operation).filter((_, index) => deep || index % 40 === 1)
      const bodies = [...validBodies(operation), ...sample]
      const verdicts = { both: 0, neither: 0 }
      for (const body of bodies) {
        const faults = requestFaults(operation, body)
        const { status, text } = await sendRaw(method, path.replace('{key}', 'near'), body)
        const isRefused = status === 422
        expect({ body, isRefused, text }).toEqual({ body, isRefused: faults.length > 0, text })
        verdicts[isRefused ? 'both' : 'neither'] += 1
      }
      expect(verdicts.both).toBeGreaterThan(bodies.length / 4)
      expect(verdicts.neither).toBeGreaterThan(0)
    },
    300_000,
  )
})
