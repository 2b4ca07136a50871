import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ok } from '../../src/envelope/envelope.ts'
import { defineRoute } from '../../src/http/define-route.ts'
import { sql, statement } from '../../src/base/sql.ts'
import { findPoints } from '../../src/engine/clickhouse/find-points.ts'
import { call, type Answer } from '../kit/call.ts'
import { organisation, panel, token } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { openWorld, type World } from '../kit/world.ts'
import { wholeYear } from '../test-data/stream-world.ts'

let world: World
let running = 0
let most = 0

/** Takes `ms` of the engine, and counts how many do so at once, in whichever copy. */
const busy = defineRoute(
  'data',
  'POST',
  '/busy',
  'data:read',
  async ({ stores }, caller, { body, beginQuery, signal }) => {
    const { ms } = body as { ms: number }
    const origin = { ...(await beginQuery({ panels: [], range: wholeYear })), signal }
    running += 1
    most = Math.max(most, running)
    try {
      const sleep = sql`SELECT sleepEachRow(0.1) FROM numbers(toUInt64(intDiv(${{ type: 'UInt32', value: ms }}, 100)))`
      await findPoints(caller, stores.clickhouse, statement(sleep), origin)
    } finally {
      running -= 1
    }
    return ok()
  },
)

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
})
afterAll(() => world.close())

let made = 0

/** A token of an organisation of its own: what others have used up is not its. */
async function newcomer(): Promise<string> {
  made += 1
  await organisation(world, `org-${made}`)
  await panel(world, `panel-${made}`, `org-${made}`, ['whitebox'])
  return token(world, `org-${made}`)
}

const serve = async (overrides: Record<string, string>): Promise<string> =>
  (await world.serve(overrides, [busy])).addresses.api

const ask = (base: string, secret: string, ms: number): Promise<Answer> =>
  call(`${base}/busy`, {
    method: 'POST',
    token: secret,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ms }),
  })

const statusesOf = async (answers: readonly Promise<Answer>[]): Promise<Record<number, number>> => {
  const counts: Record<number, number> = {}
  for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const four = { BROADGAUGE_ORGANISATION_QUERIES: '4' }

describe('queries at once', () => {
  it('are four over two copies, never more; others wait their turn', async () => {
    const copies = await Promise.all([serve(four), serve(four)])
    const secret = await newcomer()
    most = 0
    const asked = Array.from({ length: 12 }, (_, index) => ask(copies[index % 2] ?? '', secret, 200))
    expect(await statusesOf(asked)).toEqual({ 200: 12 })
    expect(most).toBe(4)
  })

  it('beyond those that may wait are refused at once, and the waiting after two seconds', async () => {
    const base = await serve(four)
    const secret = await newcomer()
    const long = Array.from({ length: 4 }, () => ask(base, secret, 2_900))
    await pause(300)
    const startedAt = performance.now()
    const times: number[] = []
    const more = Array.from({ length: 30 }, () =>
      ask(base, secret, 100).then((answer) => {
        times.push(performance.now() - startedAt)
        return answer
      }),
    )
    expect(await statusesOf(more)).toEqual({ 429: 30 })
    expect(times.filter((time) => time < 1_000).length).toBeGreaterThanOrEqual(20)
    expect(Math.max(...times)).toBeGreaterThan(1_900)
    const [refused] = await Promise.all(more)
    expect(refused?.headers.get('retry-after')).toBe('1')
    expect(refused?.body['message']).toContain('at most 4 run')
    expect(await statusesOf(long)).toEqual({ 200: 4 })
    // Somebody else was never in the way.
    expect((await ask(base, await newcomer(), 0)).status).toBe(200)
  })

  it('stand back for those of others, the more of them there are', async () => {
    const base = await serve(four)
    const [flooding, other] = [await newcomer(), await newcomer()]
    const asked = [ask(base, flooding, 1_500)]
    for (const secret of [flooding, flooding, other]) {
      await pause(250)
      asked.push(ask(base, secret, 1_000))
    }
    await pause(250)
    const result = await world.engine('ADMIN').nodes[0]?.query({
      query: `SELECT toInt32OrZero(Settings['os_threads_nice_value_query']) AS nice FROM system.processes
              WHERE query LIKE '%sleepEachRow%' AND user = 'bg_query' AND JSONExtractString(Settings['log_comment'], 'endpoint') = 'POST /busy'
              ORDER BY nice`,
      format: 'JSONEachRow',
    })
    expect((await result?.json<{ nice: number }>())?.map(({ nice }) => nice)).toEqual([0, 0, 5, 10])
    expect(await statusesOf(asked)).toEqual({ 200: 4 })
  })

  it('of a token may be fewer than those of its organisation', async () => {
    const base = await serve({ ...four, BROADGAUGE_TOKEN_QUERIES: '1' })
    const first = await newcomer()
    const second = await token(world, `org-${made}`)
    most = 0
    expect(await statusesOf([first, first, second, second].map((secret) => ask(base, secret, 300)))).toEqual({ 200: 4 })
    expect(most).toBe(2)
  })

  it('of a copy that died are given up when their lease has ended', async () => {
    const base = await serve(four)
    const secret = await newcomer()
    await ask(base, secret, 0)
    await runSql(
      world.superuserUrl,
      `INSERT INTO running_queries SELECT gen_random_uuid(), (SELECT max(id) FROM organisations), 1, gen_random_uuid(),
       now() + interval '1 second' FROM generate_series(1, 4)`,
    )
    const startedAt = performance.now()
    expect((await ask(base, secret, 0)).status).toBe(200)
    expect(performance.now() - startedAt).toBeGreaterThan(500)
  })

  it('leave nothing behind', async () => {
    await pause(500)
    expect(await runSql(world.superuserUrl, 'SELECT * FROM running_queries WHERE leased_until > now()')).toEqual([])
  })
})

describe('seconds of the engine', () => {
  it('are paid for afterwards, over all copies', async () => {
    const limited = { BROADGAUGE_ORGANISATION_ENGINE_SECONDS: '2' }
    const copies = await Promise.all([serve(limited), serve(limited)])
    const secret = await newcomer()
    expect((await ask(copies[0] ?? '', secret, 3_000)).status).toBe(200)
    await pause(300)
    const refused = await ask(copies[1] ?? '', secret, 0)
    expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
    expect(refused.body['message']).toContain('2 seconds of the engine')
    // A second too many at two a minute: half a minute.
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(20)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThan(40)
    expect((await ask(copies[1] ?? '', await newcomer(), 0)).status).toBe(200)
  })
})

describe('more queries than a copy can run', () => {
  it('are answered 503 at once when as many wait as run', async () => {
    const base = await serve({ BROADGAUGE_QUERIES_MAX: '2' })
    const secret = await newcomer()
    const served = Array.from({ length: 4 }, () => ask(base, secret, 800))
    await pause(300)
    const startedAt = performance.now()
    const refused = await ask(base, secret, 0)
    expect(refused).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(performance.now() - startedAt).toBeLessThan(400)
    expect(await statusesOf(served)).toEqual({ 200: 4 })
  })
})
