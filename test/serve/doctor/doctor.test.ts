import { afterAll, beforeAll, expect, it } from 'vitest'
import { shardTable } from '../../../src/compile/schema/fact-table.ts'
import { rollupTable } from '../../../src/compile/rollup/rollup-table.ts'
import { readSettings } from '../../../src/serve/config.ts'
import { migrate } from '../../../src/serve/tasks/migrate.ts'
import { createProgram } from '../../../src/serve/program.ts'
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
  // A world's database has a name of its own, for which the development engine has neither policies nor revoked rights.
  const inWorlds = /row policies$|dictionaries as /
  return { exit, all, wrong: all.filter(({ check, state }) => state === 'wrong' && !inWorlds.test(check)) }
}

it('finds nothing wrong with a stack that is well, but rights and row policies that a world has none of', async () => {
  const { all, wrong } = await examine()
  expect(wrong).toEqual([])
  expect(all.length).toBeGreaterThan(12)
  expect(all.find(({ check }) => check.endsWith('row policies'))).toMatchObject({
    state: 'wrong',
    remark: expect.stringContaining('see broadgauge row-policies'),
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
    'is it running',
  ],
  [
    'too few connections for what a copy does by itself',
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
  ['a wrong key of the bucket', () => ({ BROADGAUGE_S3_SECRET_ACCESS_KEY: 'wrong' }), 'bucket', 'password right'],
  [
    'no admin of the engine',
    () => ({ BROADGAUGE_CLICKHOUSE_ADMIN_USER: undefined }),
    'as the admin',
    'BROADGAUGE_CLICKHOUSE_ADMIN_USER',
  ],
] as const)('sees %s, and says what to do', async (_what, overrides, check, remark) => {
  const { exit, wrong } = await examine(overrides())
  expect(exit).toBe(1)
  expect(wrong).toContainEqual(
    expect.objectContaining({ check: expect.stringContaining(check), remark: expect.stringContaining(remark) }),
  )
  expect(JSON.stringify(wrong)).not.toContain('hidden')
})

it('sees tables that a migration would change although every numbered file has run, and leaves them as they are', async () => {
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
    expect(wrong[0]?.remark).toMatch(/: broadgauge migrate$/)
  }
  await migrate(readSettings(world.environment))
  expect((await examine()).wrong).toEqual([])
})

it('sees a retention, an index and a setting that no migration has taken over yet', async () => {
  const { nodes, cluster } = world.engine('ADMIN')
  const rows = (name: string) => (cluster === null ? name : shardTable(name))
  for (const node of nodes) {
    await node.command({ query: `ALTER TABLE ${world.name}.${rows('ping')} DROP INDEX ingested_at_range` })
    await node.command({ query: `ALTER TABLE ${world.name}.${rows(rollupTable)} RESET SETTING fsync_after_insert` })
  }
  const overrides = { BROADGAUGE_RETENTION_DAYS: 'dns=90' }
  const { wrong } = await examine(overrides)
  expect(wrong.map(({ remark }) => remark)).toEqual(
    nodes.map(
      () =>
        `still to be done: index ${rows('ping')}.ingested_at_range, setting ${rows(rollupTable)}.fsync_after_insert, ` +
        `${rows('dns')} keeps its rows for 90 days: broadgauge migrate`,
    ),
  )
  await migrate(readSettings({ ...world.environment, ...overrides }))
  expect((await examine(overrides)).wrong).toEqual([])
  await migrate(readSettings(world.environment))
})

it('names migrations that have not run', async () => {
  const [node] = world.engine('ADMIN').nodes
  await node?.command({
    query: `ALTER TABLE ${world.name}.schema_migrations DELETE WHERE name LIKE '0005%' SETTINGS mutations_sync = 2`,
  })
  const { wrong } = await examine()
  expect(wrong).toMatchObject([
    { remark: expect.stringContaining('0005_previous_spans.sql has not run: broadgauge migrate') },
  ])
})
