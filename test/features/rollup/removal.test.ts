import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { limits } from '../../../src/base/limits.ts'
import { sql } from '../../../src/base/sql.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { tracesOf } from '../../../src/compile/schema/erasure.ts'
import { countTraces, removeTraces } from '../../../src/engine/clickhouse/ingest/remove-traces.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { buildNext, recordStored } from '../../../src/jobs/rollup/build-rollups.ts'
import { createProgram } from '../../../src/serve/program.ts'
import { until } from '../../faults/attempt.ts'
import { storeFacts } from '../../kit/facts.ts'
import { agent, asLines, organisation } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { buildAll, withRollupStores } from './build.ts'

let world: World

const days = ['2026-01-10', '2026-02-10']
/** The last day of the builds: no later month is built. */
const wanted = { to: Date.parse('2026-02-28') / 86_400_000 }
const agents = ['homes-one', 'homes-two', 'homes-three']

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'homes', name: 'homes', owner: 'acme' })
    const rows = agents.map((agent_id) => agent({ agent_id }))
    await importAgents(operator, 'homes', asLines(rows.map((row, line) => ({ line, row }))), () => {})
  })
  // Every result is stored twice. The ingest times are so old that the rollup job builds the days of these results.
  for (const ingested_at of ['2026-03-01 00:00:00.000', '2026-03-02 00:00:00.000'])
    await storeFacts(
      world,
      'httpget',
      days.flatMap((day) =>
        agents.map((one) => ({
          agent: one,
          dtime: `${day} 12:00:00.000`,
          bytes_sec: 1_000_000,
          warmup_time: 1,
          target: 'server',
          ingested_at,
        })),
      ),
    )
  // No instance runs, so the test itself marks the events as published and compacted.
  await runSql(world.superuserUrl, 'UPDATE metadata_events SET published = true, compacted_at = now(), evicted = true')
}, 240_000)
afterAll(() => world.close())

const run = (words: readonly string[], pause: (milliseconds: number) => Promise<unknown> = async () => {}) =>
  createProgram({ environment: world.environment, write: () => {}, pause })
    .exitOverride()
    .parseAsync(words, { from: 'user' })

const shard = (table: string) => `${world.name}.${table}${world.engine('ADMIN').cluster === null ? '' : '_shard'}`

async function onEveryNode(query: string): Promise<void> {
  for (const node of world.engine('ADMIN').nodes) await node.command({ query })
}

async function engine<Row>(query: string): Promise<Row[]> {
  const answers = await Promise.all(
    world.engine('ADMIN').nodes.map(async (node) => (await node.query({ query, format: 'JSONEachRow' })).json<Row>()),
  )
  return answers.flat()
}

/** The days that have both results and a valid rollup. */
const good = async (): Promise<string[]> => {
  const rows = await runSql<{ day: string }>(
    world.superuserUrl,
    `SELECT day::text FROM rollup_days WHERE NOT stale AND test = 'httpget' AND day = ANY ($1) ORDER BY 1`,
    [days],
  )
  return rows.map(({ day }) => day)
}

const outcome = () => withRollupStores(world, async (stores) => (await buildNext(stores, wanted)).outcome)

it(
  'no rollup is built while duplicates are removed, and builds from before are invalid, however the removal ends',
  { timeout: 240_000 },
  async () => {
    await buildAll(world, wanted)
    expect(await good()).toEqual(days)
    // Without merges ClickHouse does not start the mutation, so the command waits.
    await onEveryNode(`SYSTEM STOP MERGES ${shard('httpget')}`)
    const goOn = async () => {
      await onEveryNode(`KILL MUTATION WHERE database = '${world.name}' AND table LIKE 'httpget%'`)
      await onEveryNode(`SYSTEM START MERGES ${shard('httpget')}`)
    }
    onTestFinished(goOn)
    const fixing = run(['results', 'duplicates', '--tests', 'httpget', '--fix']).then(
      () => 'done',
      (error: Error) => error.message,
    )
    const mutations = () =>
      engine(
        `SELECT 1 FROM system.mutations WHERE NOT is_done AND database = '${world.name}' AND table LIKE 'httpget%'`,
      )
    await until(async () => (await mutations()).length > 0, 20_000)
    expect(await good()).toEqual([])
    expect(await outcome()).toBe('busy')
    // Terminate the connection that holds the lock. ClickHouse continues the removal, but now the rollup job can get
    // the lock.
    await runSql(
      world.superuserUrl,
      `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON pg_database.oid = database
     WHERE datname = current_database() AND locktype = 'advisory' AND granted AND (classid::bigint << 32) + objid::bigint = 7041931008`,
    )
    let turn = 'busy'
    await until(async () => {
      turn = await outcome()
      return turn !== 'busy'
    }, 10_000)
    expect(turn).toBe('nothing')
    // Simulate that the command stays disconnected for so long that the job builds these days.
    await runSql(world.superuserUrl, 'UPDATE rollup_days SET late_at = NULL')
    await buildAll(world, wanted)
    expect(await good()).toEqual(days)
    await goOn()
    expect(await fixing).not.toBe('done')
    expect(await good()).toEqual([])

    await run(['results', 'duplicates', '--tests', 'httpget', '--fix'])
    await buildAll(world, { ...wanted, atOnce: true })
    expect(await good()).toEqual(days)
    const counted = await engine<{ results: number }>(
      `SELECT toUInt32(sum(results)) AS results FROM ${shard('metric_rollup')}
     WHERE metric = 'httpget' AND grain = 0 AND whole = 1 AND prefilter = 0 AND build = (SELECT max(build) FROM ${world.name}.metric_rollup)`,
    )
    // Each shard has built the rollup of its own results.
    expect(counted).toEqual(await engine(`SELECT toUInt32(count()) AS results FROM ${shard('httpget')}`))
    expect(counted.reduce((all, { results }) => all + results, 0)).toBe(agents.length * days.length)
  },
)

it('a build that includes an erased agent is removed as a whole, also rows that do not name the agent', async () => {
  const clickhouse = world.engine('ADMIN')
  const erased = { number: 4_000_000, agentId: 'nobody', unitId: null, owner: 1, builds: [4_000_000] }
  // Insert a row of the build that does not name its agent. The removal first deletes the rows that name the agent, and
  // this build has no such row.
  await clickhouse.nodes[0]?.command({
    query: `INSERT INTO ${shard('metric_rollup')} (metric, whole, panel, day, build, expires)
            VALUES ('httpget', 0, 1, '2026-01-10', 4000000, '2149-06-06')`,
  })
  const traces = tracesOf(catalog, erased, clickhouse.cluster !== null).filter(({ table }) =>
    table.startsWith('metric_'),
  )
  const [table] = traces.map((trace) => trace.table)
  expect(await countTraces(clickhouse, traces)).toEqual(new Map([[table, 1]]))
  await removeTraces(clickhouse, traces)
  expect(await countTraces(clickhouse, traces)).toEqual(new Map([[table, 0]]))
  const none = tracesOf(catalog, { ...erased, builds: [] }, clickhouse.cluster !== null)
  expect((await countTraces(clickhouse, none)).get(table ?? '')).toBe(0)
})

it('rollup rows of an erased agent stay until no running request can use them', { timeout: 240_000 }, async () => {
  const rows = () => engine<{ build: string }>(`SELECT DISTINCT build FROM ${shard('metric_rollup')}`)
  await buildAll(world, { ...wanted, atOnce: true })
  const waits: { milliseconds: number; good: string[]; builds: number }[] = []
  await run(['agent', 'erase', 'homes-one', '--yes'], async (milliseconds) => {
    waits.push({ milliseconds, good: await good(), builds: (await rows()).length })
  })
  const [first, ...more] = waits
  expect(first).toMatchObject({ milliseconds: limits.firstByteTimeoutMs, good: [] })
  expect(first?.builds).toBeGreaterThan(0)
  expect(more.every(({ milliseconds, builds }) => milliseconds < limits.firstByteTimeoutMs && builds === 0)).toBe(true)
})

it('an erasure stops builds that ClickHouse continues for a stopped instance', async () => {
  const running = () =>
    engine(`SELECT 1 FROM system.processes WHERE startsWith(initial_query_id, 'rollup-${world.name}-')`)
  const slow = sql`(SELECT sum(sleepEachRow(0.5)) FROM numbers(600) SETTINGS max_block_size = 2) = 0`
  const metrics = catalog.metrics.map((one) => (one.test === 'httpget' ? { ...one, rows: slow } : one))
  const ending = new AbortController()
  await withRollupStores(
    world,
    async (stores) => {
      await recordStored(stores)
      const building = buildNext({ ...stores, catalog: { ...catalog, metrics } }, { ...wanted, atOnce: true })
      await until(async () => (await running()).length > 0, 20_000)
      ending.abort()
      await expect(building).rejects.toThrow('temporarily unavailable')
    },
    ending.signal,
  )
  expect((await running()).length).toBeGreaterThan(0)
  await run(['agent', 'erase', 'homes-two', '--yes'])
  expect(await running()).toEqual([])
}, 240_000)
