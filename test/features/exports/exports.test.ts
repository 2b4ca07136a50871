import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeEntitlements } from '../../../src/engine/postgres/operator/organisations.ts'
import { signLink } from '../../../src/engine/objects/sign-link.ts'
import { findExportObjects } from '../../../src/engine/objects/export-objects.ts'
import { openPostgres } from '../../../src/engine/postgres/postgres.ts'
import { sweepExports } from '../../../src/jobs/exports/sweep-exports.ts'
import { readSettings } from '../../../src/serve/config.ts'
import { startWorker } from '../../../src/serve/wiring/worker.ts'
import { until } from '../../faults/attempt.ts'
import { withBucket } from '../../kit/bucket.ts'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openExportWorld, shownOf, type ExportWorld } from './export-world.ts'
import { parseFile } from './parse-file.ts'

let exports: ExportWorld
let theirs: string
const ping = { test: 'ping', date: { from: '2026-01', to: '2026-01' } }
const raw = {
  metric: 'ping',
  chartType: 'raw',
  normalised: false,
  prefilter: false,
  time: { from: '2026-01-05', to: '2026-01-06' },
}

const result = (day: string) => ({
  agent: 'homes-whitebox',
  dtime: `2026-01-${day} 12:00:00.007`,
  target: 'n1.example.net',
  rtt_avg: 12_000,
})

beforeAll(async () => {
  exports = await openExportWorld(null)
  const { world } = exports
  await panel(world, 'homes', 'acme', ['whitebox'])
  await organisation(world, 'other')
  theirs = await token(world, 'other')
  await storeFacts(world, 'ping', [result('05'), result('06')])
}, 60_000)
afterAll(() => exports.world.close())

/**
 * Queues an export through an instance that writes no exports. The export stays queued until the test lets a worker
 * claim it.
 */
async function queued(body: unknown, path = '/test_data_download') {
  const idle = await exports.world.serve({ BROADGAUGE_EXPORTS_MAX: '0' })
  // The other instance of this world does write exports. With this default, it does not claim the new export.
  await runSql(exports.world.superuserUrl, `ALTER TABLE exports ALTER not_before SET DEFAULT 'infinity'`)
  const answer = await call(`${idle.addresses.api}${path}`, {
    method: 'POST',
    token: exports.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await runSql(exports.world.superuserUrl, `ALTER TABLE exports ALTER not_before SET DEFAULT now()`)
  await idle.stop('enough')
  return shownOf(answer)
}

const letGo = (id: string) =>
  runSql(exports.world.superuserUrl, 'UPDATE exports SET not_before = now() WHERE id = $1', [id])

async function ended(id: string) {
  await until(async () => ['complete', 'failed'].includes(shownOf(await exports.read(id)).status), 20_000, 50)
  return shownOf(await exports.read(id))
}

const fileOf = async (url: string | null) => {
  const response = await fetch(url ?? '')
  return { response, text: await response.text() }
}

describe('the four endpoints', () => {
  it.each([
    ['/test_data.csv', ping, 'ping_results_2026-01-01_2026-01-31.csv'],
    ['/metric_data.csv', raw, 'ping_raw_2026-01-05_2026-01-06.csv'],
    ['/test_data_download', ping, 'ping_results_2026-01-01_2026-01-31.csv'],
    [
      '/metric_data_download',
      { ...raw, chartType: 'aggregate', aggregation: 'daily', format: 'csv.gz' },
      'ping_daily_2026-01-05_2026-01-06.csv.gz',
    ],
  ])('%s creates a file', async (path, body, name) => {
    const asked = shownOf(await exports.ask(path, body))
    expect(asked.status_url).toBe(`/downloads/${asked.id}`)
    if (path.endsWith('.csv')) expect(asked.status).toBe('complete')
    const shown = await ended(asked.id)
    expect(shown).toEqual({
      id: asked.id,
      status: 'complete',
      url: expect.stringContaining('X-Amz-Expires=3600&'),
      status_url: asked.status_url,
      rows: 2,
      bytes: expect.any(Number),
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const { response } = await fileOf(shown.url)
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
    expect(Number(response.headers.get('content-length'))).toBe(shown.bytes)
  })

  it('create a file without rows if the request finds none', async () => {
    for (const format of ['csv', 'csv.gz', 'parquet']) {
      const body = { ...ping, date: { from: '2025', to: '2025' }, format }
      const shown = shownOf(await exports.ask('/test_data.csv', body))
      expect(shown).toMatchObject({ status: 'complete', rows: 0 })
      const response = await fetch(shown.url ?? '')
      expect(await parseFile(format, new Uint8Array(await response.arrayBuffer()))).toEqual([])
    }
  })

  it.each([
    [
      '/test_data.csv',
      { ...ping, date: { from: '2025', to: '2025' } },
      'base ddate dtime agent_id unit_id target rtt_avg rtt_min rtt_max rtt_std successes failures',
    ],
    [
      '/metric_data.csv',
      {
        ...raw,
        chartType: 'aggregate',
        aggregation: 'daily',
        splits: ['isp'],
        time: { from: '2025-01-01 00:00', to: '2025-01-31 00:00' },
      },
      'dtime metricValue stdDev sampleCount agentCount unitCount ci90 ci95 ci99 min max median percentile_1 ' +
        'percentile_5 percentile_10 percentile_20 percentile_25 percentile_50 percentile_75 percentile_80 ' +
        'percentile_90 percentile_95 percentile_99 isp partial caution',
    ],
  ])('%s writes only the column names if a request finds no rows', async (path, body, names) => {
    const { url, bytes } = shownOf(await exports.ask(path, body))
    const { text } = await fileOf(url)
    expect(text).toBe(`"${names.replaceAll(' ', '","')}"\r\n`)
    expect(bytes).toBe(text.length)
  })

  it('report all faults at once, as the JSON endpoints do', async () => {
    const wrong = await exports.ask('/metric_data.csv', { ...raw, metric: 'nothing', format: 'xlsx' })
    expect([wrong.status, wrong.body['errors']]).toEqual([
      422,
      {
        format: ['The value you selected is not a valid choice.'],
        metric: ['The value you selected is not a valid choice.'],
      },
    ])
    const number = await exports.ask('/test_data_download', { ...ping, format: 1 })
    expect(number.body['errors']).toEqual({ format: ['This value should be of type string.'] })
    const response = await exports.ask('/test_data', { ...ping, format: 'xlsx' })
    expect(response.body['errors']).toEqual({ format: ['The value you selected is not a valid choice.'] })
  })

  it.each(['/data', '/data/'])('link to their status, and filters to their values, below the base %s', async (base) => {
    const service = await exports.world.serve({ BROADGAUGE_DATA_BASE_URL: base })
    const address = `${service.addresses.api}/data`
    const answer = await call(`${address}/test_data.csv`, {
      method: 'POST',
      token: exports.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ping),
    })
    const { id, status_url: url } = shownOf(answer)
    expect(url).toBe(`/downloads/${id}`)
    expect((await call(`${address}${url}`, { token: exports.token })).status).toBe(200)
    const { body } = await call(`${address}/filters`, { token: exports.token })
    const [{ values } = { values: '' }] = body['data'] as { values: string }[]
    expect(values).toBe('/filters/isp/values')
    expect((await call(`${address}${values}`, { token: exports.token })).status).toBe(200)
    await service.stop('enough')
  })
})

describe('an Idempotency-Key', () => {
  it('creates one export, however often the request is repeated', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const [first, ...others] = await Promise.all(
      Array.from({ length: 5 }, () => exports.ask('/test_data_download', ping, headers)),
    )
    const answers = [first, ...others].filter((one) => one !== undefined)
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
    const again = await exports.ask('/test_data_download', ping, headers)
    const ids = [...answers.filter(({ status }) => status === 200), again].map((one) => shownOf(one).id)
    expect(new Set(ids).size).toBe(1)
  })

  it('of an export request is not valid for a metadata change, whatever its body', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    expect((await exports.ask('/test_data.csv', ping, headers)).status).toBe(200)
    const crafted = JSON.stringify({ path: '/test_data.csv', body: ping })
    const answer = await call(`${exports.service.addresses.api}/metadata`, {
      method: 'PUT',
      token: `Bearer ${await token(exports.world, 'acme', ['metadata:write'])}`,
      headers: { 'content-type': 'application/json', ...headers },
      body: crafted,
    })
    expect([answer.status, answer.body['errors']]).toEqual([
      422,
      { 'Idempotency-Key': ['This key was used with another request.'] },
    ])
  })

  it('is refused for another body and for another endpoint', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    expect((await exports.ask('/test_data.csv', ping, headers)).status).toBe(200)
    for (const [path, body] of [
      ['/test_data.csv', { ...ping, format: 'parquet' }],
      ['/test_data_download', ping],
    ] as const) {
      const answer = await exports.ask(path, body, headers)
      expect([answer.status, answer.body['errors']]).toEqual([
        422,
        { 'Idempotency-Key': ['This key was used with another request.'] },
      ])
    }
  })
})

describe('tenancy', () => {
  it('answers for the export of another organisation exactly as for an unknown id', async () => {
    const { id } = shownOf(await exports.ask('/test_data.csv', ping))
    const unknown = await exports.read(randomUUID())
    for (const answer of [
      await exports.read(id, theirs),
      await exports.cancel(id, theirs),
      await exports.cancel(randomUUID(), theirs),
      await exports.read('x', theirs),
      await exports.read(id.toUpperCase()),
    ]) {
      expect([answer.status, answer.text]).toEqual([404, unknown.text])
    }
    expect((await exports.read(id)).status).toBe(200)
    const withoutScope = await token(exports.world, 'acme', ['metadata:read'])
    expect((await exports.read(id, withoutScope)).status).toBe(403)
  })

  it('shows the service’s database role no export unless the session has set its organisation', async () => {
    const url = exports.world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
    expect(await runSql(url, 'SELECT id FROM exports')).toEqual([])
    await expect(runSql(url, 'DELETE FROM exports')).rejects.toThrow('permission denied')
  })

  it('makes ids that callers cannot guess', async () => {
    const ids: string[] = []
    while (ids.length < 5) ids.push((await queued(ping)).id)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids.map((id) => id.slice(0, 8))).size).toBe(5)
    for (const id of ids) await exports.cancel(id)
  })
})

describe('a link', () => {
  it('works for an hour, and only for its own file', async () => {
    const { id, url } = shownOf(await exports.ask('/test_data.csv', ping))
    const key = decodeURIComponent(new URL(url ?? '').pathname).replace(/^\/[^/]+\//, '')
    const minutesAgo = (minutes: number) => Temporal.Now.instant().subtract({ minutes })
    const signed = (minutes: number) =>
      withBucket(exports.world.environment, (objects) =>
        signLink(objects, { key, fileName: 'x.csv', contentType: 'text/csv' }, minutesAgo(minutes)),
      )
    expect((await fetch(await signed(59))).status).toBe(200)
    expect((await fetch(await signed(61))).status).toBe(403)
    const other = shownOf(await exports.ask('/test_data.csv', ping))
    expect((await fetch((url ?? '').replace(id, other.id))).status).toBe(403)
    expect((await fetch((url ?? '').split('?')[0] ?? '')).status).toBe(403)
    const address = exports.world.environment['BROADGAUGE_S3_ENDPOINT']?.replace('127.0.0.1', 'localhost') ?? ''
    const elsewhere = await exports.world.serve({ BROADGAUGE_EXPORTS_MAX: '0', BROADGAUGE_S3_PUBLIC_ENDPOINT: address })
    const linked = await call(`${elsewhere.addresses.api}/downloads/${id}`, { token: exports.token })
    expect(shownOf(linked).url).toContain(`${address}/`)
    expect((await fetch(shownOf(linked).url ?? '')).status).toBe(200)
    await elsewhere.stop('enough')
    // Every read of the export returns a new link.
    expect((await fetch(shownOf(await exports.read(id)).url ?? '')).status).toBe(200)
  })
})

describe('DELETE', () => {
  it('removes the file and the export', async () => {
    const { id, url } = shownOf(await exports.ask('/test_data.csv', ping))
    const cancelled = await exports.cancel(id)
    expect([cancelled.status, cancelled.body]).toEqual([200, { code: 'OK', message: 'Request successful' }])
    expect((await fetch(url ?? '')).status).toBe(404)
    expect((await exports.read(id)).status).toBe(404)
    expect((await exports.cancel(id)).status).toBe(404)
  })

  it('keeps a queued export from being written', async () => {
    const { id, status } = await queued(ping)
    expect(status).toBe('queued')
    expect((await exports.cancel(id)).status).toBe(200)
    await letGo(id)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await withBucket(exports.world.environment, (objects) => findExportObjects(objects, id))).toEqual([])
  })
})

describe('the written file', () => {
  it('contains what was stored at the time of the request, also if it is written later', async () => {
    const { id } = await queued(ping)
    await storeFacts(exports.world, 'ping', [result('07')])
    await letGo(id)
    const { rows, url } = await ended(id)
    expect(rows).toBe(2)
    expect((await fileOf(url)).text).not.toContain('2026-01-07')
    expect(shownOf(await exports.ask('/test_data.csv', ping)).rows).toBe(3)
  })

  it('counts relative dates from the time of the request', async () => {
    const { id } = await queued({ ...ping, date: { from: '2026-01', to: 'now' } })
    await runSql(exports.world.superuserUrl, `UPDATE exports SET created_at = '2026-01-05 23:00Z' WHERE id = $1`, [id])
    await letGo(id)
    expect((await ended(id)).rows).toBe(1)
  })

  it('is not written if the organisation has lost the permission to request it', async () => {
    const { id } = await queued(ping)
    const entitle = (tests: string[]) =>
      exports.world.operate((operator) => changeEntitlements(operator, 'acme', { tests }))
    await entitle(['dns'])
    await letGo(id)
    expect(await ended(id)).toMatchObject({
      status: 'failed',
      url: null,
      failure: 'The request is no longer valid: test.',
    })
    await entitle(['*'])
  })
})

it('keeps the full request until the export is written, failed or cancelled, and then only the part that lists show', async () => {
  const body = { ...ping, panel: ['homes'] }
  const kept = async (id: string) => {
    const text = 'SELECT status, request, summary FROM exports WHERE id = $1'
    const [row] = await runSql<Record<'status' | 'request' | 'summary', string>>(exports.world.superuserUrl, text, [id])
    return row
  }
  const summary = JSON.stringify(ping)
  const { id } = await queued(body)
  expect(await kept(id)).toEqual({ status: 'queued', request: JSON.stringify(body), summary })
  await letGo(id)
  expect((await ended(id)).status).toBe('complete')
  expect(await kept(id)).toEqual({ status: 'complete', request: null, summary })
  await exports.cancel(id)
  const cancelled = await queued(body)
  await exports.cancel(cancelled.id)
  expect(await kept(cancelled.id)).toEqual({ status: 'cancelled', request: null, summary })
  const failed = await queued(body)
  await runSql(
    exports.world.superuserUrl,
    `UPDATE exports SET status = 'running', leased_until = now() - interval '1 hour', failures = 4, attempt = 4 WHERE id = $1`,
    [failed.id],
  )
  expect((await ended(failed.id)).status).toBe('failed')
  expect(await kept(failed.id)).toEqual({ status: 'failed', request: null, summary })
})

describe('workers', () => {
  it('take over an export whose worker stopped sending heartbeats, and fail an export after repeated failures', async () => {
    const silent = await queued(ping)
    const hopeless = await queued(ping)
    const abandon = (id: string, failures: number) =>
      runSql(
        exports.world.superuserUrl,
        `UPDATE exports SET status = 'running', attempt = 3, failures = $2, leased_until = now() - interval '1 second'
         WHERE id = $1`,
        [id, failures],
      )
    // Simulate that ClickHouse is still reading the file back for the first worker.
    const [node] = exports.world.engine('EXPORT').nodes
    const query_id = `${silent.id}-3-count`
    const query = 'SELECT sleepEachRow(1) FROM numbers(120) SETTINGS max_block_size = 1'
    const reading = node
      ?.query({ query, query_id })
      .then((answer) => answer.text())
      .catch(() => 'stopped')
    const isRead = async () => {
      const running = 'SELECT 1 FROM system.processes WHERE query_id = {query_id:String}'
      const [admin] = exports.world.engine('ADMIN').nodes
      return (await (await admin?.query({ query: running, query_params: { query_id } }))?.json())?.rows === 1
    }
    await until(isRead, 10_000)
    await abandon(silent.id, 1)
    await abandon(hopeless.id, 4)
    expect(await ended(silent.id)).toMatchObject({ status: 'complete', url: expect.stringContaining('/4.csv?') })
    expect(await isRead()).toBe(false)
    expect(await ended(hopeless.id)).toMatchObject({
      status: 'failed',
      failure: 'The export could not be written. Request it again later, with another Idempotency-Key or none.',
    })
    expect(await reading).toBe('stopped')
  })

  it('run without a serving instance', async () => {
    const { id } = await queued(ping)
    await exports.service.stop('the worker’s turn')
    const worker = await startWorker(
      readSettings(exports.world.environment),
      (one) => void exports.world.observations.push(one),
    )
    await letGo(id)
    const status = () =>
      runSql<{ status: string }>(exports.world.superuserUrl, 'SELECT status FROM exports WHERE id = $1', [id])
    await until(async () => (await status())[0]?.status !== 'queued', 10_000, 50)
    await worker.stop('enough')
    expect(await status()).toEqual([{ status: 'complete' }])
  })

  it('write at most the allowed number of exports of an organisation at once', async () => {
    // No instance runs any more, so only these workers claim exports.
    const url = exports.world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
    const postgres = openPostgres({ url, connectionsMax: 4, observe: () => {} })
    const waiting = [await queued(ping), await queued(ping), await queued(ping)]
    // Claim exports four times concurrently. Each claim is a single SQL statement, as in the worker.
    const claim = () =>
      postgres.pool.query<{ id: string }>(`SELECT id FROM claim_export('1 hour', 2, 5)`).then(({ rows }) => rows.length)
    await runSql(
      exports.world.superuserUrl,
      `UPDATE exports SET not_before = now(), organisation_id = (SELECT id FROM organisations WHERE key = 'other')
       WHERE id = ANY($1)`,
      [waiting.map(({ id }) => id)],
    )
    const taken = await Promise.all([claim(), claim(), claim(), claim()])
    await postgres.close()
    const running = await runSql<{ running: number }>(
      exports.world.superuserUrl,
      `SELECT count(*)::integer AS running FROM exports e JOIN organisations o ON o.id = organisation_id
       WHERE o.key = 'other' AND status = 'running' AND leased_until > now()`,
    )
    expect(taken.toSorted((one, other) => one - other)).toEqual([0, 0, 1, 1])
    expect(running).toEqual([{ running: 2 }])
    await runSql(exports.world.superuserUrl, `DELETE FROM exports WHERE id = ANY($1)`, [waiting.map(({ id }) => id)])
  })
})

it('purge exports that callers can no longer read, and nothing else', async () => {
  const { environment, superuserUrl } = exports.world
  const before = await runSql<{ id: string }>(superuserUrl, `SELECT id FROM exports WHERE status = 'complete' LIMIT 2`)
  const [expired, kept] = before.map(({ id }) => id)
  await runSql(superuserUrl, `UPDATE exports SET expires_at = now() WHERE id = $1`, [expired])
  const postgres = openPostgres({
    url: environment['BROADGAUGE_POSTGRES_URL'] ?? '',
    connectionsMax: 1,
    observe: () => {},
  })
  const left = await withBucket(environment, async (objects) => {
    await sweepExports({ postgres, objects })
    return findExportObjects(objects)
  })
  await postgres.close()
  const complete = await runSql<{ id: string; attempt: number }>(
    superuserUrl,
    `SELECT id, attempt FROM exports WHERE status = 'complete'`,
  )
  expect(complete.map(({ id }) => id)).toContain(kept)
  expect(complete.map(({ id }) => id)).not.toContain(expired)
  const named = (one: { id: string; attempt: number }) => `${one.id} ${one.attempt}`
  expect(left.map(named).toSorted()).toEqual(complete.map(named).toSorted())
})
