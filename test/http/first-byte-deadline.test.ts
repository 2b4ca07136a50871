import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from '../../src/base/sql.ts'
import { ok } from '../../src/envelope/envelope.ts'
import { defineRoute } from '../../src/http/define-route.ts'
import type { Service } from '../../src/serve/wiring/service.ts'
import { call } from '../kit/call.ts'
import { stopwatch, undisturbed } from '../kit/running-time.ts'
import { openStreamWorld, streaming, type StreamWorld } from '../features/test-data/stream-world.ts'

let aborted = 0

const dawdling = defineRoute('data', 'POST', '/dawdling', 'data:read', async (_context, _caller, { deadline }) => {
  deadline.signal.addEventListener('abort', () => (aborted += 1))
  await new Promise((resolve) => setTimeout(resolve, 33_000))
  return ok('too late')
})

const brooding = streaming(
  '/brooding',
  () => sql`SELECT sum(a.number * b.number) AS deadline FROM numbers(1000000) AS a CROSS JOIN numbers(1000000) AS b`,
)

let stage: StreamWorld
let service: Service

beforeAll(async () => {
  stage = await openStreamWorld(1)
  service = await stage.world.serve({}, [dawdling, brooding])
}, 120_000)
afterAll(() => stage.world.close())

const ask = async (path: string) => {
  const taken = stopwatch()
  const answer = await call(`${service.addresses.api}${path}`, {
    method: 'POST',
    token: stage.token,
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  return { ...answer, ...taken() }
}

it(
  'answers within 30 s whatever is still running, including the token lookup, and logs it',
  () => undisturbed(answerInTime),
  180_000,
)

async function answerInTime(): Promise<void> {
  aborted = 0
  const holder = new Client({ connectionString: stage.world.superuserUrl })
  await holder.connect()
  await holder.query('BEGIN; LOCK TABLE tokens IN ACCESS EXCLUSIVE MODE')
  const asked = Promise.all([ask('/dawdling'), ask('/brooding')])
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  await holder.end()
  const [slow, large] = await asked
  expect(slow.status).toBe(503)
  expect(slow.headers.get('retry-after')).toBe('5')
  expect(slow.passedMs).toBeGreaterThan(29_500)
  expect(slow.ranMs).toBeLessThan(31_500)
  expect(aborted).toBe(1)
  // ClickHouse was available, but too slow for this query. With a 503 the caller would retry, and the retry would also
  // be too slow.
  expect(large.body).toEqual({
    code: 'QUERY_TOO_LARGE',
    message: 'The query has no first row after 25 s; narrow its dates, panels, splits or filters.',
  })
  expect(large.ranMs).toBeLessThan(30_000)
  const [node] = stage.world.engine('ADMIN').nodes
  const result = await node?.query({
    query: `SELECT count() AS n FROM system.processes WHERE position(query, 'AS deadline') > 0 AND position(query, 'processes') = 0`,
    format: 'JSONEachRow',
  })
  expect(await result?.json()).toEqual([{ n: 0 }])
}
