import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { changeTimelines, type TimelineRow } from '../../../src/engine/postgres/operator/change-timelines.ts'
import { beginErasures } from '../../../src/engine/postgres/operator/erasures.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { importPackages } from '../../../src/engine/postgres/operator/import-packages.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { beginRollup, finishRollup } from '../../../src/engine/postgres/rollup/rollup-builds.ts'
import { buildNext, recordStored, type Wanted } from '../../../src/jobs/rollup/build-rollups.ts'
import { until } from '../../faults/attempt.ts'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { buildAll, onlyMetric, withRollupStores } from './build.ts'
import { runCommand } from './run-command.ts'

let world: World
let base: string
let mine: string
let theirs: string

const days = Array.from({ length: 20 }, (_, index) => `2026-01-${String(index + 1).padStart(2, '0')}`)
/** The last day of the builds: no later month is built. */
const january = { to: Date.parse('2026-01-31') / 86_400_000 }
/** Every request of these tests is for this metric. Only the command compares all metrics. */
const build = (wanted: Wanted = january) => buildAll(world, wanted, onlyMetric('httpget'))
const buildAtOnce = () => build({ ...january, atOnce: true })
const longAgo = '2026-01-30 00:00:00.000'
const result = (agentId: string, day: string, more: object = {}) => ({
  agent: agentId,
  dtime: `${day} 12:00:00.000`,
  bytes_sec: 1_000_000,
  warmup_time: 1,
  target: 'server',
  ...more,
})

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await organisation(world, 'other')
  await world.operate(async (operator) => {
    const isps = ['Before', 'After'].map((isp, line) => ({
      line,
      row: { isp, package: 'Fast', download_bits_sec: null, upload_bits_sec: null },
    }))
    await importPackages(operator, asLines(isps), () => {})
    for (const [panel, owner] of [
      ['homes', 'acme'],
      ['theirs', 'other'],
    ] as const) {
      await createPanel(operator, { key: panel, name: panel, owner })
      const rows = ['one', 'two', 'three'].map((name) => agent({ agent_id: `${panel}-${name}` }))
      await importAgents(operator, panel, asLines(rows.map((row, line) => ({ line, row }))), () => {})
    }
  })
  const agents = ['one', 'two', 'three'].map((name) => `homes-${name}`)
  await storeFacts(
    world,
    'httpget',
    days.flatMap((day) => [...agents, 'theirs-one'].map((one) => result(one, day, { ingested_at: longAgo }))),
  )
  mine = await token(world, 'acme')
  theirs = await token(world, 'other')
  base = (await world.serve()).addresses.api
}, 120_000)
afterAll(() => world.close())

const ask = (secret: string, more: object = {}) =>
  call(`${base}/metric_data`, {
    method: 'POST',
    token: secret,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      metric: 'httpget',
      chartType: 'aggregate',
      aggregation: 'daily',
      normalised: false,
      prefilter: true,
      percentiles: 'none',
      intervals: 'results',
      time: { from: '2026-01-01 00:00', to: '2026-01-20 23:59:59' },
      ...more,
    }),
  })

/** The number of results in the response, by day. */
async function counts(more: object = {}, secret = mine): Promise<Record<string, number>> {
  const { body } = await ask(secret, more)
  const series = body['data'] as { metricData: { dtime: string; sampleCount: number; isp?: string }[] }[]
  return Object.fromEntries(
    series.flatMap(({ metricData }) =>
      metricData.map((point) => [`${point.isp ?? ''}${point.dtime.slice(8)}`, point.sampleCount]),
    ),
  )
}

/**
 * Changes the counts in the rollup to impossible numbers, so that a response shows whether it comes from the rollup.
 */
async function dye(): Promise<void> {
  const { nodes, database, cluster } = world.engine('ADMIN')
  for (const node of nodes)
    await node.command({
      query: `ALTER TABLE ${database}.metric_rollup${cluster === null ? '' : '_shard'} UPDATE results = results + 1000
              WHERE results < 1000 SETTINGS mutations_sync = 2`,
    })
}

const isDyed = (count: number | undefined): boolean => (count ?? 0) >= 1000

const stale = async (): Promise<string[]> => {
  const rows = await runSql<{ day: string }>(
    world.superuserUrl,
    `SELECT DISTINCT to_char(day, 'MM-DD') AS day FROM rollup_days JOIN panels ON panels.id = panel_id
     WHERE stale AND key = 'homes' AND day BETWEEN '2026-01-01' AND '2026-01-20' ORDER BY 1`,
  )
  return rows.map(({ day }) => day)
}

const change = (rows: TimelineRow[]) =>
  world.operate((operator) =>
    changeTimelines(
      operator,
      'homes',
      asLines(rows.map((row, line) => ({ line, row }))),
      { requestId: 'test', request: null },
      () => {},
    ),
  )

const run = (...words: string[]) => runCommand(world, ...words)

it('an interrupted build leaves queries to read results, and the next build answers them', async () => {
  // The build fails at the metric httpget_retrans, after the metrics before it have been built.
  const broken = {
    ...catalog,
    metrics: catalog.metrics.map((one) =>
      one.key === 'httpget_retrans' ? { ...one, rows: sql`no_such_column = 1` } : one,
    ),
  }
  await withRollupStores(world, async (stores) => {
    await recordStored(stores)
    await expect(buildNext({ ...stores, catalog: broken }, january)).rejects.toThrow('no_such_column')
  })
  await dye()
  expect(await stale()).toHaveLength(20)
  expect((await counts())['05']).toBe(3)
  // Simulate that an hour has passed. The job retries a failed build later, so that it does not delay other builds.
  await runSql(world.superuserUrl, `UPDATE rollup_days SET failed_at = failed_at - interval '1 hour'`)
  await build()
  expect(await stale()).toEqual([])
  expect((await counts())['05']).toBe(3)
  await dye()
  expect(Object.values(await counts()).every(isDyed)).toBe(true)
})

it('says in a header what the percentiles are', async () => {
  const header = async (more: object) => (await ask(mine, more)).headers.get('x-percentiles')
  expect(await header({})).toBe('none')
  expect(await header({ percentiles: 'sketch' })).toBe('sketch; relative-error=0.0078125')
  expect(await header({ percentiles: 'exact' })).toBe('exact')
  expect(await header({ percentiles: undefined })).toBe('exact')
})

it('a caller reads the rollup of readable panels only', async () => {
  expect(Object.values(await counts({}, theirs))).toEqual(days.map(() => 1001))
  const foreign = await ask(theirs, { panel: 'homes' })
  expect(foreign.status).toBe(422)
  // Without an organisation the service's role sees no row of the rollup tables.
  const url = world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
  expect(await runSql(url, 'SELECT * FROM rollup_days')).toEqual([])
  expect(await runSql(url, 'SELECT * FROM rollup_panels')).toEqual([])
})

it('a late result is in the next answer, and its days are read from results until they are built again', async () => {
  await storeFacts(world, 'httpget', [result('homes-one', '2026-01-10', { dtime: '2026-01-10 13:00:00.000' })])
  const answered = await counts()
  expect(answered).toMatchObject({ '09': 3, '10': 4, '11': 3 })
  expect([answered['08'], answered['12']].every(isDyed)).toBe(true)
  // The job records the result, but it does not build the day yet, because the result is too recent.
  await build()
  expect(await stale()).toEqual(['01-09', '01-10', '01-11'])
  expect(await counts()).toMatchObject({ '09': 3, '10': 4, '11': 3 })
  await buildAtOnce()
  expect(await stale()).toEqual([])
})

it('an operator’s change of a timeline is in the next answers, from its day on', async () => {
  await dye()
  await change([
    { agent_id: 'homes-two', from_day: '2026-01-15', isp: 'After', package: 'Fast', timezone: null, custom: '{}' },
  ])
  expect(await stale()).toEqual(['01-14', '01-15', '01-16', '01-17', '01-18', '01-19', '01-20'])
  await until(async () => (await counts({ splits: ['isp'] }))['After15'] === 1, 10_000, 200)
  const answered = await counts({ splits: ['isp'] })
  expect(answered).toMatchObject({ After15: 1, After20: 1 })
  expect(isDyed(answered['13'])).toBe(true)
  await buildAtOnce()
  await dye()
  expect((await counts({ splits: ['isp'] }))['After15']).toBe(1001)
})

it('a change of a fact that is valid for all time makes all days of an agent stale', async () => {
  const rows = [agent({ agent_id: 'homes-three', country: 'FR', unit_id: '777' })]
  await world.operate((operator) =>
    importAgents(operator, 'homes', asLines(rows.map((row, line) => ({ line, row }))), () => {}),
  )
  expect(await stale()).toHaveLength(20)
  const french = { filters: [{ id: 'country', filterType: 'include', filterValues: ['FR'] }] }
  await until(async () => (await counts(french))['03'] === 1, 10_000, 200)
})

it('a change during a build invalidates the build', async () => {
  await withRollupStores(world, async ({ postgres, terms }) => {
    const today = Math.floor(Date.now() / 86_400_000)
    const begun = await beginRollup(postgres.pool, { terms, today, quietBefore: null })
    expect(begun).not.toBeNull()
    await change([
      { agent_id: 'homes-two', from_day: '2026-01-02', isp: 'Before', package: 'Fast', timezone: null, custom: '{}' },
    ])
    if (begun !== null) expect(await finishRollup(postgres.pool, begun, 'x', '2026-01-01 00:00:00.000')).toBe(false)
  })
})

it('the service builds by itself, and reports it', async () => {
  await until(async () => (await counts({ splits: ['isp'] }))['Before03'] === 1, 10_000, 200)
  await runSql(world.superuserUrl, `UPDATE rollup_days SET late_at = NULL, stale = day < '2026-02-01'`)
  const service = await world.serve({ BROADGAUGE_ROLLUPS: 'true' })
  // The days around the late result stay stale, because that result is still too recent.
  await until(async () => (await stale()).join() === '01-09,01-10,01-11', 60_000, 500)
  await service.stop('it has built')
  expect(world.observations.filter(({ kind }) => kind === 'rollup-built').length).toBeGreaterThan(0)
}, 90_000)

it('broadgauge rollup shows, finds and repairs differences', { timeout: 300_000 }, async () => {
  // The service has built all metrics, except on the days around the late result.
  await buildAll(world, { ...january, atOnce: true })
  expect((await run('rollup', 'status', '--panel', 'homes')).text).toMatch(/httpget +homes +2025-12-31/)
  const fine = await run('rollup', 'verify', '--panel', 'homes', '--to', '2026-01-21')
  expect(fine).toMatchObject({ code: 0 })
  const [, comparisons] = /^All rollups agree with the results \((\d+) comparisons\)\.\n$/.exec(fine.text) ?? []
  expect(Number(comparisons)).toBeGreaterThan(10)
  const before = await run('rollup', 'verify', '--panel', 'homes', '--to', '2025-12-01')
  expect(before).toEqual({ text: 'Nothing was compared: no day in this range has a rollup.\n', code: 1 })
  await dye()
  const { text, code } = await run('rollup', 'verify', '--panel', 'homes', '--to', '2026-01-21')
  expect(code).toBe(1)
  expect(text).toMatch(/homes +httpget +2026-01-05 +metricValue +0.0[12]\d+ +8\n/)
  expect(text).toContain('broadgauge rollup build --again --from 2026-01-01 --to 2026-01-20')
  await run('rollup', 'build', '--again', '--panel', 'homes', '--to', '2026-01-31')
  expect(Object.values(await counts()).some(isDyed)).toBe(false)
})

// Each test builds the rollups of a month twice.
describe('ClickHouse’s clock was set back', { timeout: 120_000 }, () => {
  const minutesAgo = (minutes: number) =>
    new Date(Date.now() - minutes * 60_000).toISOString().replace('T', ' ').slice(0, 23)
  const lateResult = (day: string) =>
    result('homes-one', day, { dtime: `${day} 13:00:00.000`, ingested_at: minutesAgo(20) })
  const builtAhead = () =>
    runSql(world.superuserUrl, `UPDATE rollup_days SET facts_upto = now() + interval '2 hours' WHERE NOT stale`)

  beforeEach(async () => {
    await buildAtOnce()
    await dye()
    const answered = await counts()
    expect(['05', '17', '18'].every((day) => isDyed(answered[day]))).toBe(true)
    await builtAhead()
  })

  it('to before the noted time: no query uses the rollup until everything was noted again', async () => {
    await runSql(world.superuserUrl, `UPDATE rollup_tests SET recorded_upto = now() + interval '1 hour'`)
    await storeFacts(world, 'httpget', [lateResult('2026-01-17')])
    const answered = await counts()
    expect(answered['17']).toBe(4)
    expect(Object.values(answered).some(isDyed)).toBe(false)
    await withRollupStores(world, recordStored)
    expect(await stale()).toHaveLength(20)
    expect(await counts()).toMatchObject({ '17': 4 })
    await buildAtOnce()
    await dye()
    const rebuilt = await counts()
    expect([rebuilt['16'], rebuilt['17']].every(isDyed)).toBe(true)
  })

  it('and has passed the noted time since: the next turn detects it by PostgreSQL’s clock', async () => {
    // A trigger sets `recorded_at` when the first statement runs. So the second statement sets `recorded_at` again.
    await runSql(world.superuserUrl, `UPDATE rollup_tests SET recorded_upto = now() - interval '16 minutes'`)
    await runSql(world.superuserUrl, `UPDATE rollup_tests SET recorded_at = now() - interval '40 minutes'`)
    await storeFacts(world, 'httpget', [lateResult('2026-01-18')])
    await withRollupStores(world, recordStored)
    expect(await stale()).toHaveLength(20)
    expect(await counts()).toMatchObject({ '18': 4 })
  })
})

it('no rollup includes an erased agent', { timeout: 120_000 }, async () => {
  await buildAtOnce()
  await dye()
  await run('agent', 'erase', 'homes-one', '--yes')
  expect(await counts()).toMatchObject({ '05': 2, '10': 2 })
  const [node] = world.engine('ADMIN').nodes
  const left = await node?.query({
    query: `SELECT panel, count() AS rows FROM ${world.name}.metric_rollup GROUP BY panel`,
    format: 'JSONEachRow',
  })
  expect(await left?.json<{ panel: number }>()).toMatchObject([{ panel: 2 }])
  expect(Object.values(await counts({}, theirs)).every(isDyed)).toBe(true)
  await buildAtOnce()
  expect(await counts()).toMatchObject({ '05': 2, '10': 2 })
})

it('no rollup is built while an erasure is interrupted', { timeout: 120_000 }, async () => {
  // Begin an erasure and do nothing else: the agent is removed from PostgreSQL, but its results are still in
  // ClickHouse. This happens if a store is unavailable or if ClickHouse has not finished the removal.
  await world.operate((operator) => beginErasures(operator, 'homes-two'))
  await buildAtOnce()
  expect(await stale()).toHaveLength(20)
  await run('agent', 'erase', 'homes-two', '--yes')
  expect(await counts()).toMatchObject({ '05': 1, '10': 1 })
  await until(async () => (await buildAtOnce()).length > 0, 30_000, 500)
  expect(await stale()).toEqual([])
  await dye()
  expect(await counts()).toMatchObject({ '05': 1001, '10': 1001 })
})
