import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/service.ts'
import type { Answer } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { attempt, pause, until } from '../attempt.ts'
import { newSeed, rollDice } from '../dice.ts'
import { callStream } from '../../kit/stream-call.ts'
import { registerAgents } from '../metadata-panel.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { findTimelineFaults } from '../timeline-faults.ts'
import { openBreakingProxy, rollBreak, throughProxy, type BreakingProxy } from './breaking-proxy.ts'
import { noLimits } from './no-limits.ts'
import { openTally, sized, type Tally } from './tally.ts'

const breaks = sized(200, 1_000)
const seed = newSeed()
const facts = 4_000
/** How soon a broken store must be used again, the machine being busy. */
const recoveryMs = 10_000
let world: World
let service: Service
let own: string
const proxies: Record<string, BreakingProxy> = {}

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  own = `Bearer ${await token(world, 'acme', ['data:read', 'metadata:read', 'metadata:write', 'ingest:write'])}`
  await world.operate((operator) => createPanel(operator, { key: 'acme', name: 'acme', owner: 'acme' }))
  await registerAgents(world, 'acme', [1, 2, 3, 4])
  const at = (second: number) =>
    new Date(Date.UTC(2026, 0, 5) + second * 1000).toISOString().replace(/[TZ]/g, ' ').trim()
  const rows = Array.from({ length: facts }, (_, index) => ({
    agent: `acme-${1 + (index % 4)}`,
    dtime: at(index),
    target: `server-${index}`,
    bytes_sec: index * 1000,
  }))
  await storeFacts(world, 'httpget', rows)
  const proxied: Record<string, string> = {}
  for (const store of ['POSTGRES_URL', 'CLICKHOUSE_URL', 'S3_ENDPOINT']) {
    const url = world.environment[`BROADGAUGE_${store}`] ?? ''
    proxies[store] = await openBreakingProxy(url)
    proxied[`BROADGAUGE_${store}`] = throughProxy(url, proxies[store])
  }
  service = await world.serve({ ...noLimits, ...proxied })
}, 120_000)
afterAll(async () => {
  for (const proxy of Object.values(proxies)) proxy.disarm()
  await world.close()
  await Promise.all(Object.values(proxies).map((proxy) => proxy.close()))
}, 90_000)

type Sent = { method?: string; body?: unknown; headers?: Record<string, string> }

const send = (path: string, { method = 'POST', body, headers = {} }: Sent = {}): Promise<Answer | null> =>
  attempt(`${path.startsWith('/ingest') ? service.addresses.ingest : service.addresses.api}${path}`, {
    method,
    token: own,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })

/** One piece of work: done while something breaks, then again until it succeeds. `verify` says what is wrong with a 200. */
type Work = {
  readonly name: string
  /** A minute of silence amid its answer is allowed, and tried by itself. */
  readonly streams?: boolean
  readonly run: () => Promise<Answer | null>
  readonly verify: (answer: Answer) => Promise<string | null> | string | null
}

/** Breaks connections under works, and expects whole answers or honest failures, and success soon afterwards. */
async function attackWorks(store: string, tally: Tally, makeWork: (round: number) => Work): Promise<void> {
  const proxy = proxies[store]
  if (proxy === undefined) throw new Error(`no proxy for ${store}`)
  const dice = rollDice(seed)
  const sizes = new Map<string, ReturnType<BreakingProxy['seen']> | null>()
  let slowest = 0
  let broken = 0
  for (let round = 0; broken < breaks; round += 1) {
    if (round > breaks * 4 + 20) throw new Error(`only ${broken} connections of ${round} works could be broken`)
    const work = makeWork(round)
    const before = proxy.seen()
    const size = sizes.get(work.name)
    // The first of its kind opens connections and is no measure, the second one is.
    const rolled = size === undefined || size === null ? null : rollBreak(dice, size)
    const wanted = rolled?.how === 'stall' && work.streams === true ? { ...rolled, how: 'cut' as const } : rolled
    if (wanted !== null) proxy.arm(wanted)
    const startedAt = performance.now()
    const answer = await work.run()
    const after = proxy.seen()
    const said = `round ${round}, ${work.name}, ${JSON.stringify(wanted)}: ${answer?.status} ${answer?.text.slice(0, 300)}`
    if (performance.now() - startedAt > 31_000) tally.breach('Z8', work.name, said)
    const isBroken = wanted !== null && proxy.disarm()
    if (isBroken) {
      broken += 1
      tally.count(`${wanted.how} ${answer?.status ?? 'no answer'}`)
    }
    if (answer !== null && ![200, 503].includes(answer.status))
      tally.breach('Z10', `${work.name}: neither 200 nor 503`, said)
    const wrong = answer?.status === 200 ? await work.verify(answer) : null
    if (wrong !== null) tally.breach('Z1', `${work.name}: ${wrong}`, said)
    const brokenAt = performance.now()
    let again = answer
    while (again?.status !== 200 && performance.now() - brokenAt < recoveryMs) {
      await pause(20)
      again = await work.run()
      if (again?.status === 200) {
        const wrongAgain = await work.verify(again)
        if (wrongAgain !== null) tally.breach('Z1', `${work.name}, again: ${wrongAgain}`, said)
      }
    }
    if (again?.status !== 200) tally.breach('Z8', `${work.name}: not well after ${recoveryMs} ms`, said)
    slowest = Math.max(slowest, performance.now() - brokenAt)
    if (size === undefined) sizes.set(work.name, null)
    else if (size === null) {
      sizes.set(work.name, {
        'to the store': after['to the store'] - before['to the store'],
        'from the store': after['from the store'] - before['from the store'],
      })
    }
  }
  console.log(`${store}: well again after ${Math.round(slowest)} ms at most; sizes ${JSON.stringify([...sizes])}`)
}

function noted(marks: Map<number, string>, unit: number, mark: string): null {
  marks.set(unit, mark)
  return null
}

const timeout = 3_600_000

it(`PostgreSQL: ${breaks} broken connections lose, double and hide nothing`, { timeout }, async () => {
  const tally = openTally('broken connections to PostgreSQL', seed)
  const marks = new Map<number, string>()
  const sent = new Set<string>()
  await attackWorks('POSTGRES_URL', tally, (round) => {
    const unit = 1 + (round % 4)
    if (round % 5 === 4) {
      const run = () => send(`/metadata/unit/${unit}`, { method: 'GET' })
      const verify = ({ body }: Answer) => {
        const { mark } = (body['data'] as { custom?: { mark?: string } }).custom ?? {}
        return mark === marks.get(unit) ? null : `reads ${mark}, acknowledged was ${marks.get(unit)}`
      }
      return { name: 'GET /metadata', run, verify }
    }
    const mark = `m-${seed}-${round}`
    sent.add(mark)
    const body = { agent: { unit_id: unit }, metadata: { custom: { mark } } }
    const run = async () => {
      // 409 says that an earlier attempt is still running: its outcome is asked for until there is one.
      for (;;) {
        const answer = await send('/metadata', { method: 'PUT', body, headers: { 'idempotency-key': mark } })
        if (answer?.status !== 409) return answer
        await pause(100)
      }
    }
    return { name: 'PUT /metadata', run, verify: () => noted(marks, unit, mark) }
  })
  const events = await runSql<{ mark: string; times: number }>(
    world.superuserUrl,
    `SELECT request #>> '{metadata,custom,mark}' AS mark, count(*)::integer AS times FROM metadata_events
     WHERE kind = 'change' GROUP BY 1`,
  )
  for (const { mark, times } of events.filter((one) => one.times > 1))
    tally.breach('Z2', 'a change', `${mark} ${times} times`)
  const made = new Set(events.map(({ mark }) => mark))
  for (const mark of [...sent].filter((one) => !made.has(one))) tally.breach('Z1', 'a change', mark)
  tally.report(breaks)
  expect(tally.sorts(), `seed ${seed}`).toEqual([])
  expect(await findTimelineFaults(world.superuserUrl)).toEqual([])
})

it(`ClickHouse: ${breaks} broken connections, and no answer says less than the truth`, { timeout }, async () => {
  const tally = openTally('broken connections to ClickHouse', seed)
  const records = { test: 'httpget', date: { from: '2026-01', to: '2026-01' } }
  const points = {
    metric: 'httpget',
    chartType: 'aggregate',
    aggregation: 'hourly',
    normalised: false,
    prefilter: false,
    time: { from: '2026-01-01 00:00', to: '2026-01-31 23:59' },
  }
  const truth = async (path: string, body: unknown) => sorted((await send(path, { body })) as Answer)
  const asks: [path: string, body: object, whole: string][] = []
  for (const [path, body] of [
    ['/test_data', records],
    ['/metric_data', points],
    ['/metric_data', { ...points, chartType: 'raw' }],
  ] as [string, object][])
    asks.push([path, body, await truth(path, body)])
  expect(asks[0]?.[2].length).toBeGreaterThan(facts * 100)
  const delivered: string[] = []
  await attackWorks('CLICKHOUSE_URL', tally, (round) => {
    const [path, body, whole] = asks[round % 4] ?? []
    if (path !== undefined) {
      const verify = (answer: Answer) => (sorted(answer) === whole ? null : 'another answer than the whole one')
      return {
        streams: path === '/test_data' || JSON.stringify(body).includes('raw'),
        name: JSON.stringify(body).includes('raw') ? `${path} raw` : path,
        run: () => send(path, { body }),
        verify,
      }
    }
    const target = `d-${round}`
    delivered.push(target)
    const rows = Array.from({ length: 50 }, (_, index) =>
      JSON.stringify({
        agent_id: 'acme-1',
        dtime: `2026-02-01 00:00:${String(index).padStart(2, '0')}.000`,
        target,
        successes: 1,
        failures: 0,
      }),
    )
    const headers = { 'content-type': 'application/x-ndjson' }
    const verify = ({ body: report }: Answer) => {
      const { accepted, duplicate } = report['data'] as Record<string, number>
      return (accepted ?? 0) + (duplicate ?? 0) >= rows.length ? null : `reports ${accepted}`
    }
    return { name: '/ingest', run: () => send('/ingest/ping', { body: rows.join('\n'), headers }), verify }
  })
  const [node] = world.engine('ADMIN').nodes
  const ask = async (query: string) =>
    (await node?.query({ query, format: 'JSONEachRow' }))?.json<Record<string, string>>() ?? []
  const stored = await ask(`SELECT target, toUInt32(count()) AS rows FROM ${world.name}.ping GROUP BY target`)
  const counted = new Map(stored.map(({ target = '', rows }) => [target, Number(rows)]))
  for (const target of delivered) {
    const rows = counted.get(target) ?? 0
    if (rows < 50) tally.breach('Z1', 'a delivery', `${target}: ${rows} rows`)
    if (rows > 50) tally.breach('Z2', 'a delivery', `${target}: ${rows} rows`)
  }
  const running = () =>
    ask(`SELECT query FROM system.processes WHERE elapsed > 2 AND is_initial_query AND query LIKE '%${world.name}%'
         AND query NOT LIKE '%system.processes%'`)
  await until(async () => (await running()).length === 0, 2_000).catch(async () => {
    tally.breach('Z9', 'queries alive', JSON.stringify(await running()).slice(0, 400))
  })
  tally.report(breaks)
  expect(tally.sorts(), `seed ${seed}`).toEqual([])
})

it('an engine that falls silent amid the rows: the answer is cut after a minute', { timeout }, async () => {
  const proxy = proxies['CLICKHOUSE_URL']
  const body = { test: 'httpget', date: { from: '2026-01', to: '2026-01' } }
  proxy?.arm({ direction: 'from the store', after: 500_000, how: 'stall' })
  const startedAt = performance.now()
  const outcome = await callStream(`${service.addresses.api}/test_data`, { token: own, body })
  const seconds = (performance.now() - startedAt) / 1000
  proxy?.disarm()
  expect(outcome).toMatchObject({ status: 200, complete: false })
  expect(seconds).toBeGreaterThan(55)
  expect(seconds).toBeLessThan(65)
})

/** Rows come in stored order, which merges may change. */
const sorted = ({ body }: Answer): string =>
  JSON.stringify((body['data'] as unknown[]).map((row) => JSON.stringify(row)).toSorted())

it(
  `object storage: ${breaks} broken connections, and no export is complete without being whole`,
  { timeout },
  async () => {
    const tally = openTally('broken connections to object storage', seed)
    const body = { test: 'httpget', date: { from: '2026-01', to: '2026-01' } }
    await attackWorks('S3_ENDPOINT', tally, (round) => {
      let id = ''
      const run = async () => {
        const asked = await send('/test_data.csv', { body, headers: { 'idempotency-key': `e-${round}` } })
        if (asked?.status !== 200) return asked
        ;({ id } = asked.body['data'] as { id: string })
        await until(async () => ['complete', 'failed'].includes(String((await shown(id))['status'])), 60_000, 100)
        return asked
      }
      const verify = async () => {
        const { status, url, rows } = await shown(id)
        if (status !== 'complete') return `the export is ${String(status)}`
        const text = await (await fetch(String(url))).text()
        const lines = text.split('\n').filter((line) => line !== '').length - 1
        const removed = await send(`/downloads/${id}`, { method: 'DELETE' })
        if (lines !== facts || rows !== facts) return `${lines} lines, said to be ${String(rows)}`
        return removed?.status === 200 ? null : `cannot be removed: ${removed?.status}`
      }
      return { name: 'export', run, verify }
    })
    tally.report(breaks)
    expect(tally.sorts(), `seed ${seed}`).toEqual([])
  },
)

const shown = async (id: string): Promise<Record<string, unknown>> =>
  ((await send(`/downloads/${id}`, { method: 'GET' }))?.body['data'] as Record<string, unknown> | undefined) ?? {}
