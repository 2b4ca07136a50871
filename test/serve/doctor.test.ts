import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProgram } from '../../src/serve/program.ts'
import { openWorld, type World } from '../kit/world.ts'

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
  // A world's database has a name of its own, for which the development engine has no policies.
  return { exit, all, wrong: all.filter(({ check, state }) => state === 'wrong' && !check.endsWith('row policies')) }
}

it('finds nothing wrong with a stack that is well, but row policies that a world has none of', async () => {
  const { all, wrong } = await examine()
  expect(wrong).toEqual([])
  expect(all.length).toBeGreaterThan(12)
  expect(all.find(({ check }) => check.endsWith('row policies'))).toMatchObject({
    state: 'wrong',
    remark: expect.stringContaining('see broadgauge row-policies'),
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
