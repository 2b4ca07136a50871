import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql, statement } from '../../../src/base/sql.ts'
import { findPoints } from '../../../src/engine/clickhouse/query/find-points.ts'
import { ok } from '../../../src/envelope/envelope.ts'
import { defineRoute } from '../../../src/http/define-route.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { pause, until } from '../../faults/attempt.ts'
import { openStream } from '../../kit/stream-call.ts'
import { openStreamWorld, streaming, wholeYear, type StreamWorld } from './stream-world.ts'

/** When a caller disconnects, ClickHouse must cancel the caller's query, whatever the query is doing. */

/**
 * A statement that computes for a long time without reading or writing. ClickHouse itself would not notice a closed
 * connection.
 */
const brood = sql`SELECT sum(a.number * b.number) AS brood FROM numbers(300000) AS a CROSS JOIN numbers(300000) AS b`

const brooding = streaming('/brooding', () => brood)

/** The same statement in a route whose response does not stream, like the response for aggregates. */
const broodingPoints = defineRoute(
  'data',
  'POST',
  '/brooding-points',
  'data:read',
  async ({ stores: { clickhouse } }, caller, { admission }) => {
    const origin = await admission.beginQuery({ panels: [1], range: wholeYear })
    return ok(await findPoints(caller, clickhouse, statement(brood), origin))
  },
)

let stage: StreamWorld
let service: Service

beforeAll(async () => {
  stage = await openStreamWorld(150_000)
  service = await stage.world.serve({}, [brooding, broodingPoints])
}, 120_000)
afterAll(() => stage.world.close())

/** True if no query of the service runs. Does not count the parts of ended queries that other nodes still have. */
const areAllStopped = async (): Promise<boolean> => (await running()).every(({ isInitial }) => !isInitial)

/** The running queries of the service on all nodes. */
async function running(): Promise<{ isInitial: boolean }[]> {
  const lists = await Promise.all(
    stage.world.engine('ADMIN').nodes.map(async (node) => {
      const result = await node.query({
        query: `SELECT is_initial_query FROM system.processes
                WHERE user IN {users:Array(String)} AND position(query, {database:String}) > 0`,
        query_params: {
          users: ['STREAM', 'QUERY'].map((role) => stage.world.environment[`BROADGAUGE_CLICKHOUSE_${role}_USER`]),
          database: stage.world.name,
        },
        format: 'JSONEachRow',
      })
      return result.json<{ is_initial_query: number }>()
    }),
  )
  return lists.flat().map((query) => ({ isInitial: query.is_initial_query === 1 }))
}

it('leaves no query running 2 s after 200 callers disconnected, before the response or during it', async () => {
  const url = `${service.addresses.api}/test_data`
  let begun = 0
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const leaving = new AbortController()
        const opening = openStream(url, { token: stage.token, body: stage.body, signal: leaving.signal })
        // Half of the callers disconnect before the first byte, at times between the token lookup and the first row.
        const patience = index % 2 === 0 ? pause(round * 5 + index) : opening.then(() => pause(index * 3))
        await patience
        leaving.abort()
        await opening.then(
          (response) => (begun += response.destroy().statusCode === 200 ? 1 : 0),
          () => {},
        )
      }),
    )
  }
  await until(areAllStopped, 2_000)
  const finished = stage.world.observations.filter(
    (one) => one.kind === 'request-finished' && one.cut === 'caller-left',
  )
  expect(begun).toBeGreaterThan(80)
  expect(finished.length).toBeGreaterThanOrEqual(begun)
}, 600_000)

// The test has one retry, because a freeze of the machine can delay a cancellation for more than two seconds.
it(
  'leaves no query running 2 s after 100 callers of aggregates disconnected',
  { retry: 1, timeout: 600_000 },
  async () => {
    const url = `${service.addresses.api}/metric_data`
    const body = {
      metric: 'httpget',
      chartType: 'aggregate',
      aggregation: 'hourly',
      normalised: true,
      prefilter: true,
      time: { from: '2026-01-01 00:00', to: '2026-12-31 00:00' },
    }
    let answered = 0
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const leaving = new AbortController()
          const opening = openStream(url, { token: stage.token, body, signal: leaving.signal })
          await pause(round * 4 + index * 3)
          leaving.abort()
          await opening.then(
            (response) => (answered += response.destroy().statusCode === 200 ? 1 : 0),
            () => {},
          )
        }),
      )
    }
    await until(areAllStopped, 2_000)
    // If more callers had received a response, most queries would have ended before there was anything to cancel.
    expect(answered).toBeLessThan(50)
  },
)

it.each(['/brooding', '/brooding-points'])(
  'ends a query of %s that neither reads nor writes when its caller disconnects',
  async (path) => {
    const leaving = new AbortController()
    const { signal } = leaving
    const ask = () => openStream(`${service.addresses.api}${path}`, { token: stage.token, body: {}, signal })
    // Other tests use the same ClickHouse. If it is overloaded, the service answers 503 and the test repeats the
    // request.
    const asked = until(async () => (await ask()).destroy().statusCode !== 503, 20_000, 200)
    const { nodes } = stage.world.engine('ADMIN')
    const broods = async () => {
      const counts = nodes.map(async (node) => {
        const result = await node.query({
          query: `SELECT count() AS n FROM system.processes WHERE position(query, 'AS brood') > 0 AND position(query, 'processes') = 0`,
          format: 'JSONEachRow',
        })
        return Number((await result.json<{ n: number }>())[0]?.n)
      })
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
    }
    await until(async () => (await broods()) === 1, 20_000)
    leaving.abort()
    await expect(asked).rejects.toThrow('aborted')
    await until(async () => (await broods()) === 0, 3_000)
    expect(await broods()).toBe(0)
  },
  60_000,
)

it('leaves no query running if its caller disconnects while the audit record is written', async () => {
  const holder = new Client({ connectionString: stage.world.superuserUrl })
  await holder.connect()
  await holder.query('BEGIN; LOCK TABLE audit_records IN ACCESS EXCLUSIVE MODE')
  const leaving = new AbortController()
  const url = `${service.addresses.api}/test_data`
  const opening = openStream(url, { token: stage.token, body: stage.body, signal: leaving.signal })
  await until(async () => (await running()).some(({ isInitial }) => isInitial), 5_000)
  // By now the first bytes of the response exist, but the service has not sent them yet.
  await pause(500)
  leaving.abort()
  await expect(opening).rejects.toThrow('aborted')
  await pause(200)
  await holder.query('ROLLBACK')
  await holder.end()
  await until(areAllStopped, 2_000)
})

// ClickHouse does not read what other nodes still send to a cancelled query. They wait until `send_timeout` of the profile.
// See docs/reliability.md, "Known breaches". With one node, this ends at once.
it('leaves no part of a query on another node for longer than 75 s', async () => {
  await until(async () => (await running()).length === 0, 80_000, 500)
  expect(await running()).toEqual([])
}, 90_000)
