import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newMeter } from '../../src/base/audit.ts'
import { limits } from '../../src/base/limits.ts'
import { ok } from '../../src/envelope/envelope.ts'
import { defineRoute, type Route } from '../../src/http/define-route.ts'
import { sql, statement } from '../../src/base/sql.ts'
import { findPoints } from '../../src/engine/clickhouse/query/find-points.ts'
import { call, type Answer } from '../kit/call.ts'
import { organisation, panel, token } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { runningMs, stopwatch, undisturbed, type Taken } from '../kit/running-time.ts'
import { openWorld, type World } from '../kit/world.ts'
import { wholeYear } from '../features/test-data/stream-world.ts'

let world: World
let running = 0
let most = 0

/**
 * Runs statements that sleep in ClickHouse for `ms` milliseconds in total. Counts the concurrent queries over all
 * instances. A statement can sleep for at most three seconds, so several statements share a longer time.
 */
const handle: Route['handle'] = async ({ stores }, caller, { body, admission }) => {
  const { ms } = body as { ms: number }
  const origin = await admission.beginQuery({ panels: [], range: wholeYear })
  running += 1
  most = Math.max(most, running)
  try {
    for (let left = ms; left >= 0; left -= 2_900) {
      const part = { type: 'UInt32', value: Math.min(left, 2_900) }
      const sleep = sql`SELECT sleepEachRow(0.1) FROM numbers(toUInt64(intDiv(${part}, 100)))`
      await findPoints(caller, stores.clickhouse, statement(sleep), origin)
    }
  } finally {
    running -= 1
  }
  return ok()
}
const busy = defineRoute('data', 'POST', '/busy', 'data:read', handle)
/** Queries ClickHouse without a query slot, as the search for filter values does. */
const look = defineRoute(
  'data',
  'POST',
  '/look',
  'data:read',
  async ({ stores }, caller, { requestId, deadline: { signal } }) => {
    const origin = { endpoint: 'POST /look', requestId, panels: [], meter: newMeter(), signal }
    await findPoints(caller, stores.lookups, statement(sql`SELECT sleepEachRow(0.1) FROM numbers(28)`), origin)
    return ok()
  },
)

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
})
afterAll(() => world.close())

let made = 0

/** The token of a new organisation, which has not used any of its limits. */
async function newcomer(): Promise<string> {
  made += 1
  await organisation(world, `org-${made}`)
  await panel(world, `panel-${made}`, `org-${made}`, ['whitebox'])
  return token(world, `org-${made}`)
}

async function newcomers(count: number): Promise<string[]> {
  const secrets: string[] = []
  while (secrets.length < count) secrets.push(await newcomer())
  return secrets
}

const serve = async (overrides: Record<string, string>): Promise<string> =>
  (await world.serve(overrides, [busy, look])).addresses.api

const ask = (base: string, secret: string, ms: number, path = '/busy'): Promise<Answer> =>
  call(`${base}${path}`, {
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

/** The slots that PostgreSQL stores for the newest organisation. */
const slotsOfNewest = () =>
  runSql(world.superuserUrl, 'SELECT FROM running_queries WHERE organisation_id = (SELECT max(id) FROM organisations)')

/** The niceness of each query that runs in ClickHouse. */
async function nicenessOfRunning(): Promise<number[]> {
  const result = await world.engine('ADMIN').nodes[0]?.query({
    query: `SELECT toInt32OrZero(Settings['os_threads_nice_value_query']) AS nice FROM system.processes
            WHERE query LIKE '%sleepEachRow%' AND user = 'bg_query' AND JSONExtractString(Settings['log_comment'], 'endpoint') = 'POST /busy'
            ORDER BY nice`,
    format: 'JSONEachRow',
  })
  return ((await result?.json<{ nice: number }>()) ?? []).map(({ nice }) => nice)
}

/** The headers of a refused request: the limit, the remainder, the seconds until the reset, and Retry-After. */
const limitHeaders = ({ headers }: Answer): (string | null)[] =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) => headers.get(name))

const four = { BROADGAUGE_ORGANISATION_QUERIES: '4' }

/** Starts four long queries and waits until they run. */
async function fourRunning(base: string, secret: string): Promise<Promise<Answer>[]> {
  // The first query of an instance may take an additional second.
  await ask(base, secret, 0)
  const before = running
  const long = Array.from({ length: 4 }, () => ask(base, secret, 5_700))
  await expect.poll(() => running - before, { timeout: 5_000 }).toBe(4)
  return long
}

describe('concurrent queries', () => {
  it('are four over two instances, never more; others wait for a slot', async () => {
    const instances = await Promise.all([serve(four), serve(four)])
    const secret = await newcomer()
    // The first query of an instance may take an additional second.
    for (const instance of instances) await ask(instance, secret, 0)
    most = 0
    const asked = Array.from({ length: 12 }, (_, index) => ask(instances[index % 2] ?? '', secret, 200))
    expect(await statusesOf(asked)).toEqual({ 200: 12 })
    expect(most).toBe(4)
  })

  it('beyond the queue are refused at once, and queued ones after two seconds', async () => {
    const base = await serve(four)
    const secret = await newcomer()
    const long = await fourRunning(base, secret)
    const taken = stopwatch()
    const times: Taken[] = []
    const askTimes = (count: number) =>
      Array.from({ length: count }, () =>
        ask(base, secret, 100).then((answer) => {
          times.push(taken())
          return answer
        }),
      )
    // In two groups: an organisation has 128 request slots, and a query holds one until it waits for a query slot.
    const more = askTimes(limits.queriesWaitingMax - 28)
    await pause(500)
    more.push(...askTimes(60))
    expect(await statusesOf(more)).toEqual({ 429: limits.queriesWaitingMax + 32 })
    expect(times.filter(({ ranMs }) => ranMs < 1_700).length).toBeGreaterThanOrEqual(31)
    expect(Math.max(...times.map(({ passedMs }) => passedMs))).toBeGreaterThan(1_900)
    for (const refused of await Promise.all(more)) {
      expect(limitHeaders(refused)).toEqual(['4', '0', '1', '1'])
      expect(refused.body['message']).toContain('at most 4 run')
    }
    expect(await statusesOf(long)).toEqual({ 200: 4 })
    // The other organisation's query is not refused.
    expect((await ask(base, await newcomer(), 0)).status).toBe(200)
  })

  it('have a lower priority in ClickHouse the more of their organisation run', async () => {
    const base = await serve(four)
    const [flooding, other] = [await newcomer(), await newcomer()]
    const asked: Promise<Answer>[] = []
    for (const secret of [flooding, flooding, flooding, other]) {
      asked.push(ask(base, secret, 5_700))
      await expect.poll(async () => (await nicenessOfRunning()).length).toBe(asked.length)
    }
    await expect.poll(nicenessOfRunning).toEqual([0, 0, 5, 10])
    expect(await statusesOf(asked)).toEqual({ 200: 4 })
  })

  it('of disconnected callers keep their slot until ClickHouse has stopped', async () => {
    const base = await serve({ ...four, BROADGAUGE_ORGANISATION_QUERIES: '1' })
    const secret = await newcomer()
    const leave = (ms: number) => {
      const asked = fetch(`${base}/busy`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ms: 2_500 }),
        signal: AbortSignal.timeout(ms),
      })
      return expect(asked).rejects.toThrow('aborted')
    }
    let mostAtOnce = 0
    const left = (async () => {
      for (let time = 0; time < 4; time += 1) await leave(400)
    })()
    let isOver = false
    void left.finally(() => (isOver = true))
    while (!isOver) mostAtOnce = Math.max(mostAtOnce, (await nicenessOfRunning()).length)
    await left
    expect(mostAtOnce).toBe(1)
    await expect.poll(slotsOfNewest).toEqual([])
    expect((await ask(base, secret, 100)).status).toBe(200)
  })

  it('of a token may be fewer than those of its organisation', async () => {
    const base = await serve({ ...four, BROADGAUGE_TOKEN_QUERIES: '1' })
    const first = await newcomer()
    const second = await token(world, `org-${made}`)
    await ask(base, first, 0)
    most = 0
    expect(await statusesOf([first, first, second, second].map((secret) => ask(base, secret, 300)))).toEqual({ 200: 4 })
    expect(most).toBe(2)
  })

  it('of a dead instance are released when their lease has expired', async () => {
    const base = await serve(four)
    const secret = await newcomer()
    await ask(base, secret, 0)
    const [lease] = await runSql<{ leased_until: Date }>(
      world.superuserUrl,
      `INSERT INTO running_queries SELECT gen_random_uuid(), (SELECT max(id) FROM organisations), 1, gen_random_uuid(),
       now() + interval '1 second' FROM generate_series(1, 4) RETURNING leased_until`,
    )
    expect((await ask(base, secret, 0)).status).toBe(200)
    const ended = await runSql(world.superuserUrl, 'SELECT clock_timestamp() > $1 AS ended', [lease?.leased_until])
    expect(ended).toEqual([{ ended: true }])
  })

  it('that an instance does not know are not renewed by it', async () => {
    const base = await serve(four)
    const secret = await newcomer()
    // Copy the row of the running query with another id. Then PostgreSQL stores a slot of this instance that the
    // instance does not know.
    const asking = ask(base, secret, 2_900)
    const lost = `INSERT INTO running_queries SELECT gen_random_uuid(), organisation_id, token_id, instance,
      now() + interval '6 seconds' FROM running_queries WHERE organisation_id = (SELECT max(id) FROM organisations) RETURNING id`
    await expect.poll(() => runSql(world.superuserUrl, lost), { interval: 20 }).toHaveLength(1)
    expect((await asking).status).toBe(200)
    const left = 'SELECT id FROM running_queries WHERE leased_until > now()'
    await expect.poll(() => runSql(world.superuserUrl, left), { timeout: 9_000, interval: 200 }).toEqual([])
  }, 30_000)

  it('have their own connections, whatever other statements run', { timeout: 90_000 }, () =>
    undisturbed(askNextToLooks),
  )

  async function askNextToLooks(): Promise<void> {
    const base = await serve({ BROADGAUGE_QUERIES_MAX: '2' })
    const secret = await newcomer()
    await ask(base, secret, 0)
    let looked = 0
    const looks = Array.from({ length: 30 }, () => ask(base, secret, 0, '/look').finally(() => (looked += 1)))
    await pause(300)
    expect((await ask(base, secret, 0)).status).toBe(200)
    expect(looked).toBe(0)
    expect(await statusesOf(looks)).toEqual({ 200: 30 })
  }

  it('that are cut when an instance stops release their slots', { timeout: 30_000 }, async () => {
    const service = await world.serve({ ...four, BROADGAUGE_DRAIN_SECONDS: '0' }, [busy])
    const secret = await newcomer()
    await ask(service.addresses.api, secret, 0)
    const cut = ask(service.addresses.api, secret, 20_000).catch(() => null)
    const slots = () => runSql(world.superuserUrl, 'SELECT id FROM running_queries WHERE leased_until > now()')
    await expect.poll(slots, { timeout: 5_000 }).toHaveLength(1)
    await service.stop('test')
    expect(await slots()).toEqual([])
    await cut
  })

  it('leave no slot behind', async () => {
    const left = 'SELECT * FROM running_queries WHERE leased_until > now()'
    await expect.poll(() => runSql(world.superuserUrl, left), { timeout: 2_000 }).toEqual([])
  })
})

describe('seconds of ClickHouse', () => {
  it('are charged afterwards, over all instances', async () => {
    const limited = { BROADGAUGE_ORGANISATION_ENGINE_SECONDS: '2' }
    const instances = await Promise.all([serve(limited), serve(limited)])
    const secret = await newcomer()
    const before = world.observations.length
    const askedAt = performance.now()
    expect((await ask(instances[0] ?? '', secret, 3_000)).status).toBe(200)
    const answeredSeconds = (performance.now() - askedAt) / 1000
    await expect.poll(slotsOfNewest).toEqual([])
    const refused = await ask(instances[1] ?? '', secret, 0)
    expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
    expect(refused.body['message']).toContain('2 seconds of the engine')
    const retryAfter = refused.headers.get('retry-after')
    expect(limitHeaders(refused)).toEqual(['2', '0', retryAfter, retryAfter])
    const costs = world.observations.slice(before).map((one) => (one.kind === 'query-finished' ? one.engineMs : 0))
    const seconds = costs.reduce((sum, ms) => sum + ms, 0) / 1000
    expect(seconds).toBeGreaterThanOrEqual(3)
    expect(seconds).toBeLessThanOrEqual(answeredSeconds)
    // The bucket refills by two seconds of query time per minute. So for each second above the limit, the caller has to
    // wait for half a minute.
    expect(Math.abs(Number(retryAfter) - 30 * (seconds - 2))).toBeLessThan(10)
    expect((await ask(instances[1] ?? '', await newcomer(), 0)).status).toBe(200)
  })
})

describe('seconds of a long query', () => {
  const minutesAgo = `clock_timestamp() - interval '10 minutes'`
  const [long, small, next] = Array.from({ length: 3 }, () => randomUUID())
  const admit = (id: string | undefined) =>
    runSql(
      world.superuserUrl,
      `SELECT refused_by FROM admit_query('${id}', 901, 902, gen_random_uuid(), '1 hour', 4, 4, 120, 120)`,
    )
  const end = (id: string | undefined, ms: number) =>
    runSql(world.superuserUrl, `SELECT end_queries(ARRAY['${id}']::uuid[], ARRAY[${ms}])`)

  it('are those of the minutes it took, also if other queries ran meanwhile', async () => {
    expect(await admit(long)).toEqual([{ refused_by: null }])
    await runSql(
      world.superuserUrl,
      `UPDATE limit_buckets SET filled_at = ${minutesAgo} WHERE subject IN ('o901', 't902')`,
    )
    await runSql(world.superuserUrl, `UPDATE running_queries SET begun_at = ${minutesAgo} WHERE id = '${long}'`)
    expect(await admit(small)).toEqual([{ refused_by: null }])
    await end(small, 10)
    await end(long, 600_000)
    expect(await admit(next)).toEqual([{ refused_by: null }])
    // The bucket is full and holds 120 seconds of query time. This query uses more, so the service refuses the next
    // query.
    await end(next, 130_000)
    expect(await admit(small)).toEqual([{ refused_by: 'engine-seconds' }])
  })
})

describe('more queries than an instance can run', () => {
  it('are answered 503 at once', { timeout: 90_000 }, () => undisturbed(askOfCrowded))

  async function askOfCrowded(): Promise<void> {
    const base = await serve({ BROADGAUGE_QUERIES_MAX: '1' })
    const askers = await newcomers(10)
    // Each query takes a second and only one query runs at a time, but seven queries arrive per second.
    const crowd: Promise<Answer>[] = []
    while (crowd.length < 20) {
      crowd.push(ask(base, askers[crowd.length % askers.length] ?? '', 1_000))
      await pause(150)
    }
    const startedAt = runningMs()
    const refused = await ask(base, askers[0] ?? '', 0)
    expect(runningMs() - startedAt).toBeLessThan(800)
    expect(refused).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } })
    expect(refused.headers.get('retry-after')).toBe('1')
    // The limit does not apply to a request without a query.
    expect((await call(`${base}/tests`, { token: askers[1] ?? '' })).status).toBe(200)
    const requestId = refused.headers.get('x-request-id')
    const said = world.observations.find((one) => one.kind === 'request-failed' && one.requestId === requestId)
    expect(said).toMatchObject({ detail: 'more queries than this instance may run' })
    // The refusal is a decision, not an error, so the log has no stack trace.
    expect(said).not.toHaveProperty('error')
    const counts = await statusesOf(crowd)
    expect(counts[200]).toBeGreaterThan(2)
    expect(Object.keys(counts)).toEqual(['200', '503'])
  }

  it('wait, two for each running one', { timeout: 30_000 }, async () => {
    const base = await serve({ BROADGAUGE_QUERIES_MAX: '2' })
    const askers = await newcomers(6)
    await ask(base, askers[0] ?? '', 0)
    expect(await statusesOf(askers.map((secret) => ask(base, secret, 300)))).toEqual({ 200: 6 })
  })

  it(
    'at three times the capacity: the instance uses all of it, refuses the rest quickly, and recovers',
    { timeout: 60_000 },
    async () => {
      // The queries only sleep. Four run at a time and each takes 200 ms, so any machine can run twenty per second.
      const base = await serve({ BROADGAUGE_QUERIES_MAX: '4' })
      const askers = await newcomers(8)
      const seconds = 4
      const capacity = await answeredPerMs(base, askers.slice(0, 4), 2_000)
      const startedAt = runningMs()
      const calls: Promise<{ status: number; sentAt: number; endedAt: number }>[] = []
      while (runningMs() - startedAt < seconds * 1_000) {
        const sentAt = runningMs()
        const answer = ask(base, askers[calls.length % askers.length] ?? '', 200)
        calls.push(answer.then(({ status }) => ({ status, sentAt, endedAt: runningMs() })))
        await pause(12)
      }
      const endedAt = runningMs()
      const probe = await ask(base, askers[0] ?? '', 0)
      const called = await Promise.all(calls)
      const allOverAt = Math.max(...called.map((one) => one.endedAt))
      const served = called.filter(({ status }) => status === 200)
      const refusedMs = called
        .filter(({ status }) => status === 503 || status === 429)
        .map((one) => one.endedAt - one.sentAt)
        .toSorted((one, other) => one - other)
      expect(served.length + refusedMs.length).toBe(called.length)
      expect([200, 503]).toContain(probe.status)
      expect(served.length / (allOverAt - startedAt)).toBeGreaterThan(0.9 * capacity)
      expect(refusedMs.length).toBeGreaterThan(called.length / 5)
      expect(refusedMs[Math.floor(refusedMs.length / 2)]).toBeLessThan(50 * slowness(called.length, seconds))
      expect(allOverAt - endedAt).toBeLessThan(5_000)
      expect((await ask(base, askers[0] ?? '', 0)).status).toBe(200)
    },
  )
})

/**
 * The current capacity of this machine, in responses per millisecond. The number of callers is the number of queries
 * that may run concurrently. Each caller sends its next request when it has its response.
 */
async function answeredPerMs(base: string, askers: readonly string[], forMs: number): Promise<number> {
  const startedAt = runningMs()
  let answered = 0
  const askOn = async (secret: string): Promise<void> => {
    while (runningMs() - startedAt < forMs) {
      expect((await ask(base, secret, 200)).status).toBe(200)
      answered += 1
    }
  }
  await Promise.all(askers.map(askOn))
  return answered / (runningMs() - startedAt)
}

/** The factor by which this machine was too slow to send sixty requests per second. The minimum is 1. */
const slowness = (sent: number, seconds: number): number => Math.max(1, (60 * seconds) / sent)
