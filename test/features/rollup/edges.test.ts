import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRolledDays } from '../../../src/engine/postgres/rollup/find-rolled-days.ts'
import { buildNext, recordStored } from '../../../src/jobs/rollup/build-rollups.ts'
import { readSettings } from '../../../src/serve/config.ts'
import { migrate } from '../../../src/serve/tasks/migrate.ts'
import { until } from '../../faults/attempt.ts'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { buildAll, withRollupStores } from './build.ts'
import { runCommand } from './run-command.ts'

let world: World
let base: string
let secret: string

const longAgo = '2026-03-01 00:00:00.000'
const february = { to: Date.parse('2026-02-28') / 86_400_000 }
const result = (day: string, agent = 'homes-whitebox') => ({
  agent,
  dtime: `${day} 12:00:00.000`,
  ingested_at: longAgo,
  bytes_sec: 1_000_000,
  warmup_time: 1,
  target: 'server',
})

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await organisation(world, 'other')
  await panel(world, 'homes', 'acme', ['whitebox'])
  await panel(world, 'theirs', 'other', ['whitebox'])
  await storeFacts(world, 'httpget', [
    result('2026-02-10'),
    result('2026-02-11'),
    result('2026-02-10', 'theirs-whitebox'),
  ])
  secret = await token(world, 'acme')
  base = (await world.serve()).addresses.api
  await buildAll(world, february)
}, 120_000)
afterAll(() => world.close())

async function counted(percentiles: string): Promise<number> {
  const { body } = await call(`${base}/metric_data`, {
    method: 'POST',
    token: secret,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      metric: 'httpget',
      chartType: 'aggregate',
      aggregation: 'total',
      normalised: false,
      prefilter: false,
      percentiles,
      intervals: 'results',
      time: { from: '2026-01-01 00:00', to: '2026-02-28 23:59:59' },
    }),
  })
  const [series] = body['data'] as { metricData: { sampleCount: number }[] }[]
  return series?.metricData[0]?.sampleCount ?? 0
}

const run = (...words: string[]) => runCommand(world, ...words)

it('verify finds results inserted directly into ClickHouse before a panel’s first day, and build --again includes them', async () => {
  expect([await counted('exact'), await counted('none')]).toEqual([2, 2])
  await storeFacts(world, 'httpget', [result('2026-01-05')])
  // The rollup job has not recorded the new result, so a query from rollups misses it. docs/operations.md warns of
  // this.
  expect([await counted('exact'), await counted('none')]).toEqual([3, 2])
  const { code, text } = await run('rollup', 'verify', '--panel', 'homes', '--from', '2026-01-01', '--to', '2026-02-28')
  expect([code, text]).toEqual([1, expect.stringContaining('2026-01-05')])
  await run('rollup', 'build', '--again', '--from', '2026-01-01', '--to', '2026-02-28')
  expect([await counted('exact'), await counted('none')]).toEqual([3, 3])
}, 300_000)

it('a panel that becomes unreadable after the plan makes the whole query read results', async () => {
  const [mine, foreign] = await runSql<{ id: number; owner_id: number }>(
    world.superuserUrl,
    `SELECT id, owner_id FROM panels ORDER BY id`,
  )
  await withRollupStores(world, async ({ postgres, terms }) => {
    const found = (panels: number[]) =>
      findRolledDays({ organisationId: mine?.owner_id ?? 0 }, postgres, {
        test: 'httpget',
        panels,
        version: terms.get('httpget')?.version ?? '',
        first: february.to - 20,
        last: february.to,
      })
    expect((await found([mine?.id ?? 0]))?.good.size).toBe(21)
    expect(await found([mine?.id ?? 0, foreign?.id ?? 0])).toBeNull()
  })
})

it('two versions side by side do not invalidate each other’s recent builds', async () => {
  await withRollupStores(world, async (stores) => {
    const others = new Map([...stores.terms].map(([test, term]) => [test, { ...term, version: 'other' }]))
    const fresh = `SELECT count(*)::integer AS days FROM rollup_days WHERE NOT stale AND day <= '2026-02-28'`
    const [before] = await runSql<{ days: number }>(world.superuserUrl, fresh)
    expect(before?.days).toBeGreaterThan(20)
    await recordStored({ ...stores, terms: others })
    expect(await runSql(world.superuserUrl, fresh)).toEqual([before])
    // The job may invalidate a build that is older than an hour. By then, no instance runs the older version, or a
    // rebuild is not urgent.
    await runSql(world.superuserUrl, `UPDATE rollup_builds SET finished_at = finished_at - interval '1 hour'`)
    await recordStored({ ...stores, terms: others })
    expect(await runSql(world.superuserUrl, fresh)).toEqual([{ days: 0 }])
  })
  await buildAll(world, { ...february, atOnce: true })
})

it('an instance whose clock is ahead builds no day that callers may still change', async () => {
  const today = Temporal.Now.plainDateISO('UTC')
  await storeFacts(world, 'httpget', [result(today.subtract({ days: 10 }).toString())])
  await withRollupStores(world, async (stores) => {
    const ahead = { ...stores, now: () => Temporal.Now.instant().add({ hours: 40 * 24 }) }
    // Make the job record all rows again. Otherwise it would skip this row, because the row is not newer than the
    // recorded rows.
    await runSql(world.superuserUrl, 'DELETE FROM rollup_tests')
    await recordStored(ahead)
    const from = Math.floor(Date.now() / 86_400_000) - 25
    expect(await buildNext(ahead, { from, atOnce: true })).toEqual({ outcome: 'nothing' })
    // Simulate that PostgreSQL's clock was ahead too. Then the job has built days that a caller may still change.
    const young = `day > (now() AT TIME ZONE 'UTC')::date - 30`
    await runSql(world.superuserUrl, `UPDATE rollup_days SET stale = false, facts_upto = now() WHERE ${young}`)
    await recordStored(stores)
    expect(await runSql(world.superuserUrl, `SELECT day FROM rollup_days WHERE ${young} AND NOT stale`)).toEqual([])
  })
})

it('a build number under which ClickHouse has rollup rows is not used again', async () => {
  await runSql(world.superuserUrl, `UPDATE rollup_days SET stale = true WHERE day <= '2026-02-28'`)
  const stored = await world.engine('ADMIN').nodes[0]?.query({
    query: `SELECT toUInt32(max(build)) AS last FROM ${world.name}.metric_rollup WHERE day <= '2026-02-28'`,
    format: 'JSONEachRow',
  })
  const [{ last } = { last: 0 }] = (await stored?.json<{ last: number }>()) ?? []
  // Simulate a restore of PostgreSQL without ClickHouse.
  await runSql(world.superuserUrl, `DELETE FROM rollup_builds`)
  await runSql(world.superuserUrl, `ALTER TABLE rollup_builds ALTER COLUMN id RESTART WITH ${last}`)
  await withRollupStores(world, async (stores) => {
    await expect(buildNext(stores, { ...february, atOnce: true })).rejects.toThrow('exist already')
    expect(await runSql(world.superuserUrl, 'SELECT FROM rollup_days WHERE failures > 0')).toEqual([])
    // The failed build holds its lock until its connection has ended, so wait for the lock.
    await until(async () => (await buildNext(stores, { ...february, atOnce: true })).outcome === 'built', 10_000)
  })
  await buildAll(world, { ...february, atOnce: true })
  expect([await counted('exact'), await counted('none')]).toEqual([3, 3])
})

it('queries read results if PostgreSQL lists builds that ClickHouse does not have', async () => {
  const { nodes, database } = world.engine('ADMIN')
  for (const node of nodes)
    for (const table of ['metric_rollup', 'metric_rollup_shard'])
      await node.command({ query: `DROP TABLE IF EXISTS ${database}.${table} SYNC` })
  await migrate(readSettings(world.environment))
  expect(await counted('none')).toBe(3)
  expect(await runSql(world.superuserUrl, 'SELECT FROM rollup_days')).toEqual([])
})
