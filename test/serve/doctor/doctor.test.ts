import { afterAll, beforeAll, expect, it } from 'vitest'
import { shardTable } from '../../../src/compile/schema/fact-table.ts'
import { readSettings } from '../../../src/serve/config.ts'
import { migrate } from '../../../src/serve/tasks/migrate.ts'
import { createProgram } from '../../../src/serve/program.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
})
afterAll(() => world.close())

type Finding = { check: string; state: string; remark: string }

async function examine(
  overrides: Record<string, string | undefined> = {},
): Promise<{ exit: number; wrong: Finding[]; all: Finding[] }> {
  let text = ''
  let exit = 0
  const context = {
    environment: { ...world.environment, ...overrides },
    write: (part: string) => void (text += part),
    exitWith: (code: number) => void (exit = code),
  }
  await createProgram(context).exitOverride().parseAsync(['node', 'broadgauge', 'doctor', '--json'])
  const all = JSON.parse(text) as Finding[]
  // The development ClickHouse has row policies and revoked grants only for its own database. The database of a world
  // has another name, so the checks that match this pattern always fail.
  const inWorlds = /row policies$|dictionaries as /
  return { exit, all, wrong: all.filter(({ check, state }) => state === 'wrong' && !inWorlds.test(check)) }
}

it('finds nothing wrong with a healthy stack, except the grants and row policies that a world does not have', async () => {
  const { all, wrong } = await examine()
  expect(wrong).toEqual([])
  expect(all.length).toBeGreaterThan(12)
  expect(all.find(({ check }) => check.endsWith('row policies'))).toMatchObject({
    state: 'wrong',
    remark: expect.stringContaining('broadgauge row-policies prints them'),
  })
  expect(all.find(({ check }) => check.endsWith('dictionaries as bg_query'))).toMatchObject({
    state: 'wrong',
    remark: expect.stringMatching(/^REVOKE SELECT ON \w+\.isps, .*SELECT ON \w+\.agents_by_key;/),
  })
})

const ingestAs = (role: string) => ({
  [`BROADGAUGE_CLICKHOUSE_${role}_USER`]: 'bg_ingest',
  [`BROADGAUGE_CLICKHOUSE_${role}_PASSWORD`]: world.environment['BROADGAUGE_CLICKHOUSE_INGEST_PASSWORD'] ?? '',
})

it.each([
  [
    'a role that row-level security does not bind',
    () => ({ BROADGAUGE_POSTGRES_URL: world.environment['BROADGAUGE_POSTGRES_ADMIN_URL'] }),
    'PostgreSQL, as the service',
    'row-level security',
  ],
  [
    'PostgreSQL that is not there',
    () => ({ BROADGAUGE_POSTGRES_URL: 'postgresql://bg_service:hidden@127.0.0.1:1/x' }),
    'PostgreSQL, as the service',
    'check that it is running',
  ],
  [
    "too few connections for an instance's own jobs",
    () => ({ BROADGAUGE_POSTGRES_POOL_MAX: '9' }),
    'PostgreSQL, connections',
    'or more',
  ],
  ['a user for queries that may write', () => ingestAs('QUERY'), 'user bg_ingest', 'REVOKE INSERT'],
  [
    'a user for ingest that may not',
    () => ({
      BROADGAUGE_CLICKHOUSE_INGEST_USER: 'bg_query',
      BROADGAUGE_CLICKHOUSE_INGEST_PASSWORD: world.environment['BROADGAUGE_CLICKHOUSE_QUERY_PASSWORD'],
    }),
    'user bg_query',
    'GRANT INSERT',
  ],
  [
    'a user for streams that writes no arrays',
    () => ({
      BROADGAUGE_CLICKHOUSE_STREAM_USER: 'bg_query',
      BROADGAUGE_CLICKHOUSE_STREAM_PASSWORD: world.environment['BROADGAUGE_CLICKHOUSE_QUERY_PASSWORD'],
    }),
    'user bg_query',
    'output_format_json_array_of_rows to 1',
  ],
  [
    'a user for exports that may not see how far they are',
    () => ingestAs('EXPORT'),
    'user bg_ingest',
    'GRANT SELECT(query_id, read_rows, total_rows_approx) ON system.processes',
  ],
  [
    'a user for exports that cannot stop one',
    () => ingestAs('EXPORT'),
    'user bg_ingest',
    'set replace_running_query to 1',
  ],
  [
    'a wrong password',
    () => ({ BROADGAUGE_CLICKHOUSE_DICTIONARY_PASSWORD: 'wrong' }),
    'user bg_dictionary',
    'Authentication failed',
  ],
  [
    'a database that was not migrated',
    () => ({ BROADGAUGE_CLICKHOUSE_DATABASE: 'broadgauge_test_none' }),
    'migrations',
    'does not exist',
  ],
  ['a wrong key of the bucket', () => ({ BROADGAUGE_S3_SECRET_ACCESS_KEY: 'wrong' }), 'bucket', 'password are correct'],
  [
    'no admin of the engine',
    () => ({ BROADGAUGE_CLICKHOUSE_ADMIN_USER: undefined }),
    'as the admin',
    'BROADGAUGE_CLICKHOUSE_ADMIN_USER',
  ],
] as const)('detects %s, and says what to do', async (_what, overrides, check, remark) => {
  const { exit, wrong } = await examine(overrides())
  expect(exit).toBe(1)
  expect(wrong).toContainEqual(
    expect.objectContaining({ check: expect.stringContaining(check), remark: expect.stringContaining(remark) }),
  )
  expect(JSON.stringify(wrong)).not.toContain('hidden')
})

it('detects tables that a migration would change although every numbered file has run, and does not change them', async () => {
  const { nodes, cluster } = world.engine('ADMIN')
  const rows = cluster === null ? 'ping' : shardTable('ping')
  for (const node of nodes) {
    for (const table of new Set(['ping', rows])) {
      await node.command({ query: `ALTER TABLE ${world.name}.${table} DROP COLUMN rtt_std` })
    }
    await node.command({ query: `DROP TABLE ${world.name}.fact_values SYNC` })
  }
  for (const look of [1, 2]) {
    const { exit, wrong } = await examine()
    expect(exit).toBe(1)
    expect(
      wrong.map(({ check }) => check),
      `look ${look}`,
    ).toEqual(nodes.map((_, index) => `ClickHouse node ${index + 1}, tables`))
    expect(wrong[0]?.remark).toContain(`column ${rows}.rtt_std`)
    expect(wrong[0]?.remark).toContain('table fact_values')
    expect(wrong[0]?.remark).toMatch(/; run broadgauge migrate$/)
  }
  await migrate(readSettings(world.environment))
  expect((await examine()).wrong).toEqual([])
})

it('sees a retention that no migration has applied yet', async () => {
  const { nodes, cluster } = world.engine('ADMIN')
  const rows = cluster === null ? 'dns' : shardTable('dns')
  const overrides = { BROADGAUGE_RETENTION_DAYS: 'dns=90' }
  const { wrong } = await examine(overrides)
  expect(wrong.map(({ remark }) => remark)).toEqual(
    nodes.map(() => `not up to date: ${rows} keeps its rows for 90 days; run broadgauge migrate`),
  )
  await migrate(readSettings({ ...world.environment, ...overrides }))
  expect((await examine(overrides)).wrong).toEqual([])
  await migrate(readSettings(world.environment))
})

it('names functions that the database has in another version', async () => {
  const change = `UPDATE schema_migrations SET checksum = 'other' WHERE name = 'functions/limits.sql'`
  await runSql(world.superuserUrl, change)
  const { wrong } = await examine()
  expect(wrong).toMatchObject([
    {
      check: 'PostgreSQL, migrations',
      remark: expect.stringMatching(/: functions\/limits\.sql; run broadgauge migrate/),
    },
  ])
  await migrate(readSettings(world.environment))
  expect((await examine()).wrong).toEqual([])
})

it('names migrations that have not run', async () => {
  const [node] = world.engine('ADMIN').nodes
  await node?.command({
    query: `ALTER TABLE ${world.name}.schema_migrations DELETE WHERE name LIKE '0003%' SETTINGS mutations_sync = 2`,
  })
  const { wrong } = await examine()
  expect(wrong).toMatchObject([
    { remark: expect.stringContaining('not applied: 0003_package_speeds.sql; run broadgauge migrate') },
  ])
})
