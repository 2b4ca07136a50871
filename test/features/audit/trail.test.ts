import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ok } from '../../../src/envelope/envelope.ts'
import { defineRoute } from '../../../src/http/define-route.ts'
import { createProgram } from '../../../src/serve/program.ts'
import { call } from '../../kit/call.ts'
import { callStream, openStream } from '../../kit/stream-call.ts'
import { onDatabase, runSql } from '../../kit/run-sql.ts'
import { until } from '../../faults/attempt.ts'
import { failing, openStreamWorld, wholeYear, type StreamWorld } from '../test-data/stream-world.ts'

let streams: StreamWorld
let base: string

beforeAll(async () => {
  streams = await openStreamWorld(20_000)
  base = (await streams.world.serve({}, [failing, counting])).addresses.api
})
afterAll(() => streams.world.close())

/** A route without a body that runs an analytics query. */
const counting = defineRoute('data', 'GET', '/count/:id', 'data:read', async (_context, _caller, { admission }) => {
  await admission.beginQuery({ panels: [1], range: wholeYear })
  return ok()
})

const aggregate = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: false,
  time: { from: '2026-01-01 00:00', to: '2026-01-01 23:59:59' },
}

const post = (path: string, body: unknown, requestId: string) =>
  call(`${base}${path}`, {
    method: 'POST',
    token: streams.token,
    headers: { 'content-type': 'application/json', 'x-request-id': requestId },
    body: JSON.stringify(body),
  })

type AuditRow = Record<string, unknown>

const rowsOf = (requestId: string): Promise<AuditRow[]> =>
  runSql<AuditRow>(
    streams.world.superuserUrl,
    `SELECT *, rows::float8 AS rows, bytes::float8 AS bytes FROM audited_queries WHERE request_id = $1`,
    [requestId],
  )

/**
 * Waits until the audit trail contains the outcome of a query. The service promises the outcome within five seconds.
 */
async function finished(requestId: string): Promise<AuditRow> {
  let rows: AuditRow[] = []
  await until(async () => {
    rows = await rowsOf(requestId)
    return rows.some((row) => row['finished_at'] !== null)
  }, 5_000)
  expect(rows).toHaveLength(1)
  return rows[0] ?? {}
}

describe('an analytics query that succeeds', () => {
  it('records the parameters of a request without a body', async () => {
    const headers = { 'x-request-id': 'no-body' }
    const answer = await call(`${base}/count/wb-1?day=7`, { token: streams.token, headers })
    expect(answer.status).toBe(200)
    expect(await finished('no-body')).toMatchObject({ endpoint: 'GET /count/:id', body: '{"id":"wb-1","day":"7"}' })
  })

  it('writes one row with caller, request, time and outcome', async () => {
    const answer = await post('/metric_data', { ...aggregate, splits: ['isp'] }, 'points')
    expect(answer.status).toBe(200)
    expect(await finished('points')).toMatchObject({
      organisation: 1,
      token: 1,
      endpoint: 'POST /metric_data',
      request_id: 'points',
      body: JSON.stringify({ ...aggregate, splits: ['isp'] }),
      panels: [1],
      range_clock: 'agent-local',
      range_from: '2026-01-01T00:00:00',
      range_to: '2026-01-01T23:59:59',
      status: 200,
      complete: true,
      rows: 1,
      engine_ms: expect.any(Number),
    })
  })

  it.each([
    ['records', '/test_data', () => streams.body, 'utc', '2026-12-31T23:59:59'],
    ['raw-points', '/metric_data', () => ({ ...aggregate, chartType: 'raw' }), 'agent-local', '2026-01-01T23:59:59'],
  ])('counts the streamed rows and bytes of %s', async (requestId, path, body, clock, last) => {
    const answer = await callStream(`${base}${path}`, {
      token: streams.token,
      body: body(),
      headers: { 'x-request-id': requestId },
    })
    expect(answer.complete).toBe(true)
    const row = await finished(requestId)
    expect(row).toMatchObject({ status: 200, complete: true, rows: 20_000, range_clock: clock, range_to: last })
    // `bytes` counts the bytes of the rows, without the envelope around them.
    expect(answer.bytes.length - Number(row['bytes'])).toBeGreaterThan(0)
    expect(answer.bytes.length - Number(row['bytes'])).toBeLessThan(100)
  })

  it('writes a row for an export too, with the cost of the file', async () => {
    const answer = await post('/test_data.csv', streams.body, 'file')
    expect(answer.status).toBe(200)
    await finished('file')
    await until(async () => (await rowsOf('file'))[0]?.['rows'] !== null, 5_000)
    const { bytes } = answer.body['data'] as { bytes: number }
    expect(await rowsOf('file')).toEqual([
      expect.objectContaining({
        endpoint: 'POST /test_data.csv',
        status: 200,
        complete: true,
        rows: 20_000,
        bytes,
        engine_ms: expect.any(Number),
      }),
    ])
  })

  it('counts zero rows if the query finds none', async () => {
    await post('/test_data', { test: 'httpget', date: { from: '2020', to: '2020' } }, 'nothing')
    expect(await finished('nothing')).toMatchObject({ status: 200, rows: 0 })
  })
})

describe('an analytics query that fails', () => {
  it('writes a row with the status if ClickHouse refuses the query', async () => {
    expect((await post('/failing', { at: 0 }, 'refused')).status).toBe(500)
    expect(await finished('refused')).toMatchObject({ status: 500, complete: true })
  })

  it('writes an incomplete row if the response breaks off', async () => {
    const answer = await callStream(`${base}/failing`, {
      token: streams.token,
      body: { at: 500_000 },
      headers: { 'x-request-id': 'cut' },
    })
    expect(answer.complete).toBe(false)
    const row = await finished('cut')
    expect(row).toMatchObject({ status: 200, complete: false })
    expect(row['engine_ms']).toBeGreaterThan(0)
  })

  it('writes an incomplete row if the caller disconnects', async () => {
    const response = await openStream(`${base}/failing`, {
      token: streams.token,
      body: { at: 9_999_999 },
      headers: { 'x-request-id': 'left' },
    })
    response.destroy()
    expect(await finished('left')).toMatchObject({ status: 200, complete: false })
  })

  it('writes no row for an invalid or unauthenticated request', async () => {
    expect((await post('/metric_data', { ...aggregate, metric: 'nothing' }, 'wrong')).status).toBe(422)
    expect((await call(`${base}/tests`, { token: streams.token, headers: { 'x-request-id': 'list' } })).status).toBe(
      200,
    )
    // The service stores audit records in order. So when the record of this later query is stored, the records of the
    // earlier requests would be stored too.
    await post('/metric_data', aggregate, 'after-them')
    await finished('after-them')
    expect(await rowsOf('wrong')).toEqual([])
    expect(await rowsOf('list')).toEqual([])
  })
})

describe('secrets', () => {
  it('in a body or a request id do not reach the audit trail', async () => {
    const secret = streams.token
    const link = 'https://user:hunter2@host/?X-Amz-Signature=c0ffee00'
    const filters = [{ id: 'country', filterType: 'include', filterValues: [secret, link] }]
    const answer = await post('/metric_data', { ...aggregate, filters }, secret)
    expect(answer.status).toBe(200)
    const requestId = answer.headers.get('x-request-id') ?? ''
    const row = JSON.stringify(await finished(requestId))
    expect(row).toContain('bg_***')
    for (const leak of [secret, 'hunter2', 'c0ffee00']) expect(row).not.toContain(leak)
  })
})

describe('an audit trail that cannot be written', () => {
  it('lets no response complete, streamed or not', async () => {
    await runSql(streams.world.superuserUrl, 'ALTER TABLE audit_records ADD CONSTRAINT none CHECK (false) NOT VALID')
    try {
      for (const [path, body] of [
        ['/metric_data', aggregate],
        ['/test_data', streams.body],
      ] as const) {
        const answer = await post(path, body, 'unaudited')
        expect(answer.status, path).toBe(503)
        expect(answer.headers.get('retry-after')).toBe('5')
        expect(answer.text).not.toContain('metricValue')
      }
      // The refused request must not leave an export that a worker would write later.
      expect((await post('/test_data_download', streams.body, 'unaudited-file')).status).toBe(503)
      const asked = `SELECT id FROM exports WHERE request_id = 'unaudited-file'`
      expect(await runSql(streams.world.superuserUrl, asked)).toEqual([])
      expect((await call(`${base}/tests`, { token: streams.token })).status).toBe(200)
    } finally {
      await runSql(streams.world.superuserUrl, 'ALTER TABLE audit_records DROP CONSTRAINT none')
    }
    expect((await post('/metric_data', aggregate, 'audited-again')).status).toBe(200)
  })
})

describe('broadgauge audit', () => {
  async function run(...words: string[]): Promise<Record<string, unknown>[]> {
    let text = ''
    const { environment } = streams.world
    const program = createProgram({ environment, write: (part) => (text += part) })
    await program.exitOverride().parseAsync(['node', 'broadgauge', 'audit', ...words, '--json'])
    return JSON.parse(text) as Record<string, unknown>[]
  }

  it('finds queries by request, organisation, token, endpoint and status', async () => {
    await post('/metric_data', aggregate, 'sought')
    const [row] = await run('queries', '--request', 'sought')
    expect(row).toMatchObject({ organisation: 'acme', token: 1, endpoint: 'POST /metric_data', request_id: 'sought' })
    const all = await run('queries', '--organisation', 'acme', '--token', '1', '--status', '200', '--limit', '1000')
    expect(all.length).toBeGreaterThan(3)
    expect(all.every((one) => one['status'] === 200)).toBe(true)
    expect(new Set(all.map((one) => one['complete']))).toEqual(new Set([0, 1]))
    expect(await run('queries', '--endpoint', 'POST /test_data', '--limit', '1')).toHaveLength(1)
    expect(await run('queries', '--token', '999')).toEqual([])
    expect(await run('queries', '--until', '2020-01-01T00:00:00Z', '--since', '2019-01-01T00:00:00Z')).toEqual([])
    await expect(run('queries', '--organisation', 'nobody')).rejects.toThrow('There is no organisation "nobody"')
    await expect(run('queries', '--since', 'yesterday')).rejects.toThrow('--since takes a number of days')
  })

  it.each(['Asia/Tokyo', 'America/Los_Angeles'])(
    "finds the same queries of a time range if PostgreSQL's time zone is %s",
    async (zone) => {
      const requestId = `in-${zone.replace('/', '-')}`
      const begin = Temporal.Now.instant()
      await post('/metric_data', aggregate, requestId)
      const span = ['--since', String(begin), '--until', String(Temporal.Now.instant().add({ seconds: 1 }))]
      const { name, superuserUrl } = streams.world
      const server = onDatabase(superuserUrl, 'postgres')
      await runSql(server, `ALTER DATABASE ${name} SET timezone = '${zone}'`)
      const found = await run('queries', ...span)
      await runSql(server, `ALTER DATABASE ${name} RESET timezone`)
      expect(found).toMatchObject([{ request_id: requestId }])
      expect(Temporal.Instant.from(`${found[0]?.['asked_at']}Z`).epochMilliseconds).toBeGreaterThanOrEqual(
        begin.epochMilliseconds,
      )
    },
  )

  it('shows the counts of calls', async () => {
    await until(async () => (await run('calls', '--organisation', 'acme')).length > 0, 5_000)
    const counts = await run('calls', '--organisation', 'acme')
    expect(counts).toContainEqual(
      expect.objectContaining({ organisation: 'acme', token: 1, endpoint: 'POST /metric_data', status: 200 }),
    )
    await expect(run('calls', '--organisation', 'nobody')).rejects.toThrow('There is no organisation "nobody"')
  })
})

it('records the first queries of a month, which has no partition yet, also while a dump reads the trail', async () => {
  const { superuserUrl } = streams.world
  const dump = new Client({ connectionString: superuserUrl })
  await dump.connect()
  const partitions = `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit_records'::regclass`
  for (const { name } of await runSql<{ name: string }>(superuserUrl, partitions))
    await runSql(superuserUrl, `DROP TABLE ${name}`)
  await dump.query('BEGIN; LOCK TABLE audit_records IN ACCESS SHARE MODE')
  const ids = Array.from({ length: 4 }, (_, index) => `first-${index}`)
  const answers = await Promise.all(ids.map((id) => post('/metric_data', aggregate, id)))
  await dump.end()
  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200))
  for (const id of ids) expect(await rowsOf(id)).toHaveLength(1)
})
