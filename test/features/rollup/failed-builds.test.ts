import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNext, recordStored } from '../../../src/jobs/rollup/build-rollups.ts'
import { until } from '../../faults/attempt.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, panel } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { settle } from '../../kit/settle.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { withRollupStores } from './build.ts'
import { runCommand } from './run-command.ts'

let world: World

const days = ['2026-02-10', '2026-02-11', '2026-02-12']
const february = { to: Date.parse('2026-02-28') / 86_400_000 }

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  for (const owner of ['acme', 'other']) await organisation(world, owner)
  await panel(world, 'homes', 'acme', ['whitebox'])
  await panel(world, 'theirs', 'other', ['whitebox'])
  await storeFacts(
    world,
    'httpget',
    days.flatMap((day) =>
      ['homes', 'theirs'].map((key) => ({
        agent: `${key}-whitebox`,
        dtime: `${day} 12:00:00.000`,
        ingested_at: '2026-03-01 00:00:00.000',
        bytes_sec: 1_000_000,
        warmup_time: 1,
        target: 'server',
      })),
    ),
  )
  await settle(world)
  await refuse('homes')
}, 60_000)
afterAll(() => world.close())

/**
 * Makes ClickHouse refuse the rollup of this panel, as it does if a build needs too much memory. If `key` is null,
 * ClickHouse accepts all rollups again.
 */
async function refuse(key: string | null): Promise<void> {
  const { nodes, database, cluster } = world.engine('ADMIN')
  const [found] = await runSql<{ id: number }>(world.superuserUrl, 'SELECT id FROM panels WHERE key = $1', [key])
  const change = found === undefined ? 'DROP CONSTRAINT refused' : `ADD CONSTRAINT refused CHECK panel != ${found.id}`
  // With shards, each shard checks the rows that it stores.
  for (const node of nodes)
    await node.command({ query: `ALTER TABLE ${database}.metric_rollup${cluster === null ? '' : '_shard'} ${change}` })
}

/** The number of days in February that have a valid rollup, by panel. */
async function built(): Promise<Record<string, number>> {
  const rows = await runSql<{ key: string; days: number }>(
    world.superuserUrl,
    `SELECT key, count(*) FILTER (WHERE NOT stale)::integer AS days FROM rollup_days JOIN panels ON panels.id = panel_id
     WHERE test = 'httpget' AND day BETWEEN '2026-02-09' AND '2026-02-28' GROUP BY key`,
  )
  return Object.fromEntries(rows.map(({ key, days: count }) => [key, count]))
}

const hoursLater = (hours: number) =>
  runSql(world.superuserUrl, "UPDATE rollup_days SET failed_at = failed_at - $1 * interval '1 hour'", [hours])

/**
 * The outcome of one run of the rollup job. A failed build holds its lock until its connection has ended, so this
 * function waits while the job is busy.
 */
async function turn(): Promise<string> {
  let outcome = 'busy'
  await until(async () => {
    outcome = await withRollupStores(world, (stores) => buildNext(stores, february)).then(
      (one) => one.outcome,
      (error: Error) => error.message,
    )
    return outcome !== 'busy'
  }, 10_000)
  return outcome
}

const failure = /^The rollup of httpget of panel 1, 2026-02-09 to 2026-02-28, could not be built: [^]*refused/

it('a rollup that cannot be built is retried later, and those of others are built', { timeout: 120_000 }, async () => {
  await withRollupStores(world, recordStored)
  expect(await turn()).toMatch(failure)
  expect(await turn()).toBe('built')
  expect(await built()).toEqual({ homes: 0, theirs: 20 })
  expect(await turn()).toBe('nothing')
  const { text } = await runCommand(world, 'rollup', 'status', '--json')
  expect(JSON.parse(text)).toMatchObject([
    { panel: 'homes', failed: 20 },
    { panel: 'theirs', failed: 0 },
  ])

  await hoursLater(1)
  expect(await turn()).toMatch(failure)
  // The delay before the next attempt grows with each failure, so an hour is not enough now.
  await hoursLater(1)
  expect(await turn()).toBe('nothing')
  await hoursLater(1)
  expect(await turn()).toMatch(failure)
})

it('days of the same panel that have not failed are built without those that have', async () => {
  await refuse(null)
  await runSql(
    world.superuserUrl,
    `UPDATE rollup_days SET failed_at = NULL, failures = 0 WHERE panel_id = 1 AND day > '2026-02-20'`,
  )
  expect(await turn()).toBe('built')
  expect(await built()).toEqual({ homes: 8, theirs: 20 })
  expect(await turn()).toBe('nothing')
})

it('failed days are retried at least once a day, and a successful build resets their failures', async () => {
  await runSql(world.superuserUrl, 'UPDATE rollup_days SET failures = 1000 WHERE failed_at IS NOT NULL')
  await hoursLater(20)
  expect(await turn()).toBe('nothing')
  await hoursLater(4)
  expect(await turn()).toBe('built')
  expect(await built()).toEqual({ homes: 20, theirs: 20 })
  const known = 'SELECT FROM rollup_days WHERE failed_at IS NOT NULL OR failures > 0'
  expect(await runSql(world.superuserUrl, known)).toEqual([])
})

it('an operator’s command builds all others before it fails, and names what failed', { timeout: 120_000 }, async () => {
  await refuse('homes')
  const again = () => runSql(world.superuserUrl, `UPDATE rollup_days SET stale = true WHERE day <= '2026-02-28'`)
  await again()
  const run = () => runCommand(world, 'rollup', 'build', '--to', '2026-02-28')
  await expect(run()).rejects.toThrow(failure)
  await again()
  // The command must ignore the retry delay, build the other panels first, and remove the rows of dead builds.
  await runSql(
    world.superuserUrl,
    `UPDATE rollup_builds SET dead_at = now() - interval '1 hour' WHERE finished_at IS NULL`,
  )
  await expect(run()).rejects.toThrow(failure)
  expect(await built()).toEqual({ homes: 0, theirs: 20 })
  const left = `SELECT FROM rollup_builds WHERE finished_at IS NULL AND dead_at < now() - interval '30 minutes'`
  expect(await runSql(world.superuserUrl, left)).toEqual([])
})

it(
  'the service reports the panel whose rollup fails, and the next instance builds those of others',
  { timeout: 120_000 },
  async () => {
    await runSql(
      world.superuserUrl,
      `UPDATE rollup_days SET stale = day BETWEEN '2026-02-09' AND '2026-02-28', late_at = NULL, failed_at = NULL, failures = 0`,
    )
    const failing = await world.serve({ BROADGAUGE_ROLLUPS: 'true' })
    const reported = () =>
      world.observations.filter(
        (one) => one.kind === 'store-error' && one.store === 'rollups' && one.panel !== undefined,
      )
    await until(async () => reported().length > 0, 30_000, 100)
    await failing.stop('it has failed')
    expect(reported()).toMatchObject([{ test: 'httpget', panel: 1 }])
    // The stopped instance would have continued only after a minute. A new instance starts to build at once.
    await world.serve({ BROADGAUGE_ROLLUPS: 'true' })
    await until(async () => (await built())['theirs'] === 20, 30_000, 200)
    expect(await built()).toEqual({ homes: 0, theirs: 20 })
  },
)
