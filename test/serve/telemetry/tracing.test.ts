import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findAuditedQueries } from '../../../src/engine/postgres/operator/audit.ts'
import { until } from '../../faults/attempt.ts'
import { call, type Answer } from '../../kit/call.ts'
import { receiveTraces, type ReceivedSpan, type TraceReceiver } from '../../kit/trace-receiver.ts'
import { openStreamWorld, type StreamWorld } from '../../features/test-data/stream-world.ts'

let streams: StreamWorld
let traces: TraceReceiver
let toEngine: Server
let base: string
/** The statements that ClickHouse received. Each has its trace headers and its query comment. */
let asked: { traceparent: string | undefined; tracestate: string | undefined; comment: string }[] = []

beforeAll(async () => {
  streams = await openStreamWorld(50)
  traces = await receiveTraces()
  const [engine = ''] = (streams.world.environment['BROADGAUGE_CLICKHOUSE_URL'] ?? '').split(',')
  toEngine = createServer((request, response) => {
    note(request)
    const passed = send(new URL(request.url ?? '', engine), { method: request.method, headers: request.headers })
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(toEngine, 'listening')
  base = await serve({ BROADGAUGE_OTLP_TRACES_URL: traces.url })
})
afterAll(async () => {
  await streams.world.close()
  await traces.close()
  toEngine.closeAllConnections()
  toEngine.close()
})

function note({ headers, url = '' }: IncomingMessage): void {
  const comment = new URL(url, 'http://engine').searchParams.get('log_comment') ?? ''
  const { traceparent, tracestate } = headers
  if (comment !== '') asked.push({ traceparent: String(traceparent), tracestate: String(tracestate), comment })
}

async function serve(overrides: Record<string, string>): Promise<string> {
  const { port } = toEngine.address() as AddressInfo
  const { addresses } = await streams.world.serve({
    BROADGAUGE_CLICKHOUSE_URL: `http://127.0.0.1:${port}`,
    ...overrides,
  })
  return addresses.api
}

const metricBody = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: false,
  time: { from: '2026-01-01 00:00', to: '2026-01-01 23:59:59' },
}

const post = (path: string, body: unknown, headers: Record<string, string>, address = base): Promise<Answer> =>
  call(`${address}${path}`, {
    method: 'POST',
    token: streams.token,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const span = '00f067aa0ba902b7'
const traceOf = (digit: string): string => digit.repeat(32)
const parentOf = (trace: string, flags = '01'): Record<string, string> => ({
  traceparent: `00-${trace}-${span}-${flags}`,
})

/** Waits until the span `last` has arrived, and returns all spans of the trace. A span is sent when it has ended. */
async function spansOf(trace: string, last: string): Promise<ReceivedSpan[]> {
  const found = () => traces.spans().filter(({ traceId }) => traceId === trace)
  await until(async () => found().some(({ name }) => name === last), 10_000)
  return found()
}

const parentName = (spans: readonly ReceivedSpan[], name: string): string | undefined => {
  const parent = spans.find((one) => one.name === name)?.parentSpanId
  return parent === span ? 'caller' : spans.find(({ spanId }) => spanId === parent)?.name
}

const attribute = ({ attributes }: ReceivedSpan, name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]

describe('a request with a trace', () => {
  it('is traced from its headers through the plan and the statement to ClickHouse', async () => {
    const trace = traceOf('a')
    asked = []
    const answer = await post('/metric_data', metricBody, {
      ...parentOf(trace),
      tracestate: 'vendor=1',
      'x-request-id': 'traced',
    })
    expect(answer.status).toBe(200)
    const spans = await spansOf(trace, 'POST /metric_data')
    expect(parentName(spans, 'POST /metric_data')).toBe('caller')
    for (const name of ['PostgreSQL authenticate', 'plan', 'admit', 'ClickHouse query', 'audit'])
      expect(parentName(spans, name), name).toBe('POST /metric_data')
    expect(parentName(spans, 'PostgreSQL read-grants')).toBe('plan')
    // The query, and the look-up of the days with results for the warnings.
    const queries = spans.filter(({ name }) => name === 'ClickHouse query')
    expect(asked).toHaveLength(2)
    expect(new Set(asked.map(({ traceparent }) => traceparent))).toEqual(
      new Set(queries.map(({ spanId }) => `00-${trace}-${spanId}-01`)),
    )
    for (const { tracestate } of asked) expect(tracestate).toBe('vendor=1')
    const comments = asked.map(({ comment }): unknown => JSON.parse(comment))
    expect(comments).toContainEqual(expect.objectContaining({ trace_id: trace, request_id: 'traced' }))
    const root = spans.find(({ name }) => name === 'POST /metric_data')
    expect(root && attribute(root, 'http.response.status_code')).toBe(200)
    expect(root && attribute(root, 'broadgauge.request_id')).toBe('traced')
  })

  it('is found by its trace id in the log and in the audit trail', async () => {
    const logged = streams.world.observations.filter((one) => 'traceId' in one && one.traceId === traceOf('a'))
    expect(logged.map(({ kind }) => kind)).toEqual(['request-finished'])
    const now = Temporal.Now.instant()
    const rows = await streams.world.operate((operator) =>
      findAuditedQueries(operator, {
        organisation: null,
        token: null,
        requestId: null,
        traceId: traceOf('a'),
        endpoint: null,
        status: null,
        since: now.subtract({ hours: 1 }),
        until: now,
        rowsMax: 10,
      }),
    )
    expect(rows).toEqual([expect.objectContaining({ request_id: 'traced', trace_id: traceOf('a') })])
  })

  it('that streams is traced to its last byte, with the bytes sent', async () => {
    const trace = traceOf('b')
    expect((await post('/test_data', streams.body, parentOf(trace))).status).toBe(200)
    const spans = await spansOf(trace, 'ClickHouse stream')
    const stream = spans.find(({ name }) => name === 'ClickHouse stream')
    expect(stream && Number(attribute(stream, 'db.response.returned_rows'))).toBe(50)
    expect(stream?.parentSpanId).toBe((await spansOf(trace, 'POST /test_data')).at(-1)?.spanId)
  })

  it('for a file is continued by the worker that writes the file', async () => {
    const trace = traceOf('c')
    expect((await post('/test_data.csv', streams.body, parentOf(trace))).status).toBe(200)
    const spans = await spansOf(trace, 'export of test_data')
    for (const name of ['ClickHouse write file', 'S3 HeadObject', 'ClickHouse count rows'])
      expect(parentName(spans, name), name).toBe('export of test_data')
  })

  it('that fails is marked as failed, by its kind alone', async () => {
    const trace = traceOf('d')
    const body = { ...metricBody, metric: 'no-such-metric' }
    expect((await post('/metric_data', body, parentOf(trace))).status).toBe(422)
    const spans = await spansOf(trace, 'POST /metric_data')
    const plan = spans.find(({ name }) => name === 'plan')
    expect(plan?.status.code).toBe(2)
    expect(plan && attribute(plan, 'error.type')).toBe('VALIDATION_FAIL')
    expect(traces.received.join('')).not.toContain('no-such-metric')
  })
})

describe('a request', () => {
  it('with a trace that is not sampled is not traced, and ClickHouse gets the same flag', async () => {
    const trace = traceOf('e')
    asked = []
    expect((await post('/metric_data', metricBody, parentOf(trace, '00'))).status).toBe(200)
    expect(asked[0]?.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`))
    await post('/metric_data', metricBody, parentOf(traceOf('1')))
    await spansOf(traceOf('1'), 'POST /metric_data')
    expect(traces.spans().some(({ traceId }) => traceId === trace)).toBe(false)
  })

  it.each([
    ['none', {}],
    ['one that is none', { traceparent: '00-zzz-1-01' }],
  ])('with %s begins a new trace', async (_what, headers: Record<string, string>) => {
    asked = []
    expect((await post('/metric_data', metricBody, headers)).status).toBe(200)
    const [, trace = ''] = asked[0]?.traceparent?.split('-') ?? []
    expect(trace).toMatch(/^[0-9a-f]{32}$/)
    const spans = await spansOf(trace, 'POST /metric_data')
    expect(spans.find(({ name }) => name === 'POST /metric_data')?.parentSpanId).toBeUndefined()
  })
})

it('nothing is traced without an OTLP endpoint', async () => {
  const untraced = await serve({})
  asked = []
  const before = streams.world.observations.length
  expect((await post('/metric_data', metricBody, parentOf(traceOf('f')), untraced)).status).toBe(200)
  expect(asked.length).toBeGreaterThan(0)
  for (const { traceparent } of asked) expect(traceparent).toBe('undefined')
  expect(asked[0]?.comment).not.toContain('trace_id')
  expect(streams.world.observations.slice(before).some((one) => 'traceId' in one)).toBe(false)
})

it('requests do not notice an unavailable OTLP endpoint; the log does', async () => {
  const unheard = await serve({ BROADGAUGE_OTLP_TRACES_URL: 'http://127.0.0.1:1/v1/traces' })
  expect((await post('/metric_data', metricBody, {}, unheard)).status).toBe(200)
  const isSaid = () => streams.world.observations.some((one) => one.kind === 'store-error' && one.store === 'traces')
  await until(async () => isSaid(), 15_000)
})
