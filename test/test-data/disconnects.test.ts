import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from '../../src/base/sql.ts'
import type { Service } from '../../src/serve/service.ts'
import { pause, until } from '../faults/attempt.ts'
import { openStream } from '../kit/stream-call.ts'
import { openStreamWorld, streaming, type StreamWorld } from './stream-world.ts'

/** Whoever hangs up stops paying for the answer: its query ends, whatever it is at. */

/** Computes for long without reading or writing: nothing of it would notice a closed connection. */
const brooding = streaming(
  '/brooding',
  () => sql`SELECT sum(a.number * b.number) AS brood FROM numbers(300000) AS a CROSS JOIN numbers(300000) AS b`,
)

let stage: StreamWorld
let service: Service

beforeAll(async () => {
  stage = await openStreamWorld(150_000)
  service = await stage.world.serve({}, [brooding])
}, 120_000)
afterAll(() => stage.world.close())

/** Queries of the service that run, on any node. */
async function running(): Promise<string[]> {
  const lists = await Promise.all(
    stage.world.engine('ADMIN').nodes.map(async (node) => {
      const result = await node.query({
        query: `SELECT query_id, elapsed, query FROM system.processes
                WHERE user = {user:String} AND position(query, {database:String}) > 0`,
        query_params: {
          user: stage.world.environment['BROADGAUGE_CLICKHOUSE_STREAM_USER'],
          database: stage.world.name,
        },
        format: 'JSONEachRow',
      })
      return result.json<{ query_id: string; elapsed: number }>()
    }),
  )
  return lists.flat().map(({ query_id: id, elapsed }) => `${id} for ${elapsed} s`)
}

it('leaves no query behind 2 s after 200 callers have left, some before and some amid the rows', async () => {
  const url = `${service.addresses.api}/test_data`
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const leaving = new AbortController()
        const opening = openStream(url, { token: stage.token, body: stage.body, signal: leaving.signal })
        // Half of them are gone before the first byte, at moments from before the token is looked up to after the first row.
        const patience = index % 2 === 0 ? pause(round * 5 + index) : opening.then(() => pause(index * 3))
        await patience
        leaving.abort()
        await opening.then(
          (response) => response.destroy(),
          () => {},
        )
      }),
    )
  }
  await until(async () => (await running()).length === 0, 2_000)
  const finished = stage.world.observations.filter(
    (one) => one.kind === 'request-finished' && one.cut === 'caller-left',
  )
  expect(finished.length).toBeGreaterThanOrEqual(100)
}, 600_000)

it('ends a query that neither reads nor writes when its caller leaves', async () => {
  const leaving = new AbortController()
  const asked = openStream(`${service.addresses.api}/brooding`, {
    token: stage.token,
    body: {},
    signal: leaving.signal,
  })
  const [node] = stage.world.engine('ADMIN').nodes
  const brood = async () => {
    const result = await node?.query({
      query: `SELECT count() AS n FROM system.processes WHERE position(query, 'AS brood') > 0 AND position(query, 'processes') = 0`,
      format: 'JSONEachRow',
    })
    return Number((await result?.json<{ n: number }>())?.[0]?.n)
  }
  await until(async () => (await brood()) === 1, 5_000)
  leaving.abort()
  await expect(asked).rejects.toThrow('aborted')
  await until(async () => (await brood()) === 0, 3_000)
  expect(await brood()).toBe(0)
}, 60_000)
