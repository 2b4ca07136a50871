import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../faults/attempt.ts'
import { call } from '../../kit/call.ts'
import { panel } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { stopwatch } from '../../kit/running-time.ts'
import { openExportWorld, shownOf, type ExportWorld } from './export-world.ts'

let exports: ExportWorld

beforeAll(async () => {
  // No instance writes these exports.
  exports = await openExportWorld(null, { BROADGAUGE_EXPORTS_MAX: '0' })
  await panel(exports.world, 'homes', 'acme', ['whitebox'])
}, 60_000)
afterAll(() => exports.world.close())

async function hold(lock: string): Promise<Client> {
  const holder = new Client({ connectionString: exports.world.superuserUrl })
  await holder.connect()
  await holder.query(`BEGIN; LOCK TABLE ${lock} MODE`)
  return holder
}

/** Marks the export of `test` as running as soon as it exists. */
const beginWriting = (test: string) =>
  until(async () => {
    const begun = await runSql(
      exports.world.superuserUrl,
      `UPDATE exports SET status = 'running', attempt = 1, leased_until = now() + interval '1 hour', progress = 0.25
       WHERE status = 'queued' AND request::jsonb ->> 'test' = $1 RETURNING id`,
      [test],
    )
    return begun.length === 1
  }, 5_000)

it('names the export and its progress within 30 s, also if PostgreSQL was slow to store it', async () => {
  const tokens = await hold('tokens IN ACCESS EXCLUSIVE')
  const queue = await hold('exports IN SHARE')
  const taken = stopwatch()
  const ask = async (test: string) => {
    const answer = await exports.ask('/test_data.csv', { test, date: { from: '2026-01', to: '2026-01' } })
    return { answer, ...taken() }
  }
  const asked = Promise.all([ask('ping'), ask('dns')])
  // Each lock delays the request almost as long as a lookup may take. If the service waited another 25 s for the file
  // after these delays, the response would take more than 30 s.
  await sleep(3_000)
  await tokens.end()
  await sleep(3_000)
  await queue.end()
  await beginWriting('dns')
  const [waiting, writing] = await asked
  for (const { answer, passedMs, ranMs } of [waiting, writing]) {
    expect(answer.status).toBe(200)
    expect((await exports.read(shownOf(answer).id)).status).toBe(200)
    expect(passedMs).toBeGreaterThan(27_000)
    expect(ranMs).toBeLessThan(30_000)
  }
  expect(shownOf(waiting.answer).status).toBe('queued')
  expect(shownOf(writing.answer)).toMatchObject({ status: 'running', progress: 0.25, url: null })
}, 60_000)

it('keeps waiting after PostgreSQL was unavailable for a moment, and names the export', async () => {
  const asked = exports.ask('/test_data.csv', { test: 'httpget', date: { from: '2026-01', to: '2026-01' } })
  await beginWriting('httpget')
  // The service polls the export, and the poll waits for this table lock. Then the test terminates the connection of
  // the poll.
  const holder = await hold('exports IN ACCESS EXCLUSIVE')
  await sleep(500)
  const cut = await runSql(
    exports.world.superuserUrl,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  expect(cut.length).toBeGreaterThan(0)
  await holder.query(`UPDATE exports SET status = 'failed', leased_until = NULL, failure = 'for this test'
    WHERE status = 'running' AND request::jsonb ->> 'test' = 'httpget'; COMMIT`)
  await holder.end()
  const answer = await asked
  expect(answer.status, answer.text).toBe(200)
  expect(shownOf(answer)).toMatchObject({ status: 'failed', failure: 'for this test' })
})

it('accepts the allowed number of unwritten exports, and refuses one more with advice', async () => {
  await runSql(exports.world.superuserUrl, `UPDATE exports SET status = 'cancelled', leased_until = NULL`)
  const few = await exports.world.serve({ BROADGAUGE_EXPORTS_MAX: '0', BROADGAUGE_EXPORTS_UNFINISHED_MAX: '2' })
  const ask = (test: string) =>
    call(`${few.addresses.api}/test_data_download`, {
      method: 'POST',
      token: exports.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ test, date: { from: '2026-01', to: '2026-01' } }),
    })
  const [first, second] = [await ask('ping'), await ask('dns')]
  expect([first.status, second.status]).toEqual([200, 200])
  const refused = await ask('traceroute')
  expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('ratelimit-limit')]).toEqual([
    429,
    '60',
    '2',
  ])
  expect(refused.body).toEqual({
    code: 'TOO_MANY_REQUESTS',
    message:
      'Too many exports that are not written yet; an organisation may have 2. Try again after the time in Retry-After, or cancel some.',
  })
  expect((await exports.cancel(shownOf(first).id)).status).toBe(200)
  expect((await ask('traceroute')).status).toBe(200)
})

it('lists the subject of a request, without its filters', async () => {
  await runSql(exports.world.superuserUrl, `UPDATE exports SET status = 'cancelled', leased_until = NULL`)
  const time = { from: '2026-01-01 00:00', to: '2026-01-31 23:59:59' }
  const raw = { metric: 'ping', chartType: 'raw', normalised: false, prefilter: false, time }
  const filterValues = Array.from({ length: 500 }, (_, index) => `target-${index}`)
  const long = { ...raw, filters: [{ id: 'target', filterType: 'include', filterValues }] }
  for (const body of [raw, long]) expect((await exports.ask('/metric_data_download', body)).status).toBe(200)
  const listed = await call(`${exports.service.addresses.api}/console/api/downloads?limit=1000`, {
    token: `Bearer ${exports.token}`,
  })
  const shown = { metric: 'ping', chartType: 'raw', time }
  expect((listed.body['data'] as { request: unknown }[]).map(({ request }) => request)).toEqual([shown, shown])
})
