import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSettings } from '../../src/serve/config.ts'
import { createLog, logObservations } from '../../src/serve/telemetry/log.ts'
import { startService } from '../../src/serve/wiring/service.ts'
import { until } from '../faults/attempt.ts'
import { call, type CallOptions } from '../kit/call.ts'
import { runSql } from '../kit/run-sql.ts'
import { receiveTraces, type TraceReceiver } from '../kit/trace-receiver.ts'
import { openStreamWorld, type StreamWorld } from '../features/test-data/stream-world.ts'

/** Everything that the instances emit: log lines at the most verbose level, error responses, metrics and traces. */
let said = ''
let streams: StreamWorld
let traces: TraceReceiver

beforeAll(async () => {
  streams = await openStreamWorld(10)
  traces = await receiveTraces()
})
afterAll(async () => {
  await streams.world.close()
  await traces.close()
})

const sink = new Writable({
  write(chunk: Buffer, _encoding, done) {
    said += chunk.toString()
    done()
  },
})

async function serving(
  overrides: Record<string, string>,
  work: (addresses: { api: string; operations: string }) => Promise<void>,
): Promise<void> {
  const observed = { BROADGAUGE_LOG_LEVEL: 'trace', BROADGAUGE_OTLP_TRACES_URL: traces.url }
  const settings = readSettings({ ...streams.world.environment, ...overrides, ...observed })
  const service = await startService(settings, logObservations(createLog('trace', sink)))
  try {
    await work(service.addresses)
    const { operations } = service.addresses
    for (const path of ['/metrics', '/readyz', '/healthz']) said += await (await fetch(`${operations}${path}`)).text()
  } finally {
    await service.stop('the test is over')
  }
}

const metricBody = (filterValues: string[]) =>
  JSON.stringify({
    metric: 'httpget',
    chartType: 'aggregate',
    aggregation: 'daily',
    normalised: false,
    prefilter: false,
    filters: [{ id: 'country', filterType: 'include', filterValues }],
    time: { from: '2026-01-01 00:00', to: '2026-01-01 23:59:59' },
  })

const json = { 'content-type': 'application/json' }

/** Requests that contain secrets in the wrong places. */
function carelessRequests(secrets: readonly string[], signedLink: string): [string, CallOptions][] {
  const { token } = streams
  const [secret = ''] = secrets
  return [
    ['/tests', { token: `${token}x` }],
    ['/tests', { token: `Basic ${token}` }],
    [`/tests?token=${token}`, { token }],
    [`/metadata/agent/${token}`, { token: `Bearer ${token}` }],
    [`/${token}`, { token }],
    ['/%zz' + token, { token }],
    ['/tests', { token, headers: { 'x-request-id': token } }],
    [
      '/metric_data',
      { method: 'POST', token, headers: json, body: metricBody([token, signedLink, ...secrets.map(inLink)]) },
    ],
    ['/metric_data', { method: 'POST', token, headers: json, body: `{"${token}": ` }],
    ['/metric_data', { method: 'POST', token, headers: json, body: `{"metric": "x", "metric": "${token}"}` }],
    ['/metric_data', { method: 'POST', token, headers: { 'content-type': `text/${secret.slice(0, 8)}` }, body: token }],
    ['/test_data', { method: 'POST', token, headers: json, body: JSON.stringify({ test: 'nothing', date: {} }) }],
  ]
}

type AuditRow = { request_id: string; finished_at: Date | null }

const findAudited = () => runSql<AuditRow>(streams.world.superuserUrl, 'SELECT * FROM audited_queries')

/**
 * Waits until the audit trail contains all outcomes so far. The service writes outcomes in order, so the test sends one
 * more query and waits for its outcome.
 */
async function untilAudited(api: string): Promise<void> {
  const headers = { ...json, 'x-request-id': 'last' }
  await call(`${api}/metric_data`, { method: 'POST', token: streams.token, headers, body: metricBody(['GB']) })
  const isOver = (row: AuditRow) => row.request_id === 'last' && row.finished_at !== null
  await until(async () => (await findAudited()).some(isOver), 10_000)
}

const inLink = (secret: string): string => `https://user:${secret}@host/`

it('no secret reaches logs, errors, metrics, traces or the audit trail', { timeout: 120_000 }, async () => {
  const { environment } = streams.world
  const passwords = Object.entries(environment).flatMap(([name, value]) => {
    if (/_PASSWORD$|_SECRET_ACCESS_KEY$/.test(name)) return [value]
    return /_POSTGRES_.*URL$/.test(name) ? [new URL(value).password] : []
  })
  expect(passwords.length).toBeGreaterThan(6)
  let signature = ''
  await serving({}, async ({ api }) => {
    const body = JSON.stringify(streams.body)
    const file = await call(`${api}/test_data.csv`, { method: 'POST', token: streams.token, headers: json, body })
    const link = (file.body['data'] as { url: string }).url
    signature = new URL(link).searchParams.get('X-Amz-Signature') ?? ''
    expect(signature).toMatch(/^[0-9a-f]{64}$/)
    for (const [path, options] of carelessRequests(passwords, link)) {
      const answer = await call(`${api}${path}`, options)
      // A response contains no filter value, but it contains the name of an unexpected field that the caller has sent.
      if (!answer.text.includes('This field was not expected')) said += answer.text
    }
    await untilAudited(api)
  })
  // Try settings with wrong stores: a store that is unavailable, a store that refuses the password, or another service
  // at the address of the store.
  const elsewhere = 'postgresql://bg_service:planted-password@127.0.0.1:1/x'
  for (const broken of [
    { BROADGAUGE_POSTGRES_URL: elsewhere },
    {
      BROADGAUGE_POSTGRES_URL: (environment['BROADGAUGE_POSTGRES_URL'] ?? '').replace(/:[^:@]+@/, ':planted-password@'),
    },
    {
      BROADGAUGE_CLICKHOUSE_QUERY_PASSWORD: 'planted-password',
      BROADGAUGE_CLICKHOUSE_STREAM_PASSWORD: 'planted-password',
    },
    { BROADGAUGE_S3_SECRET_ACCESS_KEY: 'planted-password' },
    { BROADGAUGE_CLICKHOUSE_URL: 'http://127.0.0.1:1' },
  ]) {
    await serving(broken, async ({ api }) => {
      for (const [path, options] of carelessRequests(passwords, '').slice(0, 8)) {
        const answer = await call(`${api}${path}`, options)
        if (!answer.text.includes('This field was not expected')) said += answer.text
      }
    })
  }
  const audited = await findAudited()
  expect(audited.length).toBeGreaterThan(2)
  said += JSON.stringify(audited)
  said += traces.received.join('')
  expect(said).toContain('request-failed')
  expect(said).toContain('store-error')
  expect(said).toContain('broadgauge_request_duration_seconds')
  expect(said).toContain('bg_***')
  expect(said).toContain('"ClickHouse query"')
  const planted = { token: streams.token, half: streams.token.slice(3, 25), signature, password: 'planted-password' }
  for (const [what, secret] of Object.entries(planted)) expect(said.includes(secret), what).toBe(false)
  for (const [index, secret] of passwords.entries()) expect(said.includes(secret), `password ${index}`).toBe(false)
})
