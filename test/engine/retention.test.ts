import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { shardTable } from '../../src/compile/fact-table.ts'
import { readSettings } from '../../src/serve/config.ts'
import { migrate } from '../../src/serve/migrate.ts'
import { openWorld, type World } from '../kit/world.ts'

let world: World
const stored = (name: string) => (inject('run').shards > 1 ? shardTable(name) : name)

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
})
afterAll(() => world.close())

async function ask(query: string): Promise<string> {
  const [node] = world.engine('ADMIN').nodes
  const result = await node?.query({ query, format: 'TabSeparated' })
  return (await result?.text())?.trim() ?? ''
}

const migrated = async (overrides: Record<string, string>): Promise<string[]> =>
  (await migrate(readSettings({ ...world.environment, ...overrides }))).clickhouse

const retentionOf = (table: string): Promise<string> =>
  ask(
    `SELECT extract(engine_full, 'toIntervalDay.(\\\\d+)') FROM system.tables WHERE database = '${world.name}' AND name = '${stored(table)}'`,
  )

it('the audit trail is kept for as long as the configuration says, from the next migration on', async () => {
  expect(await retentionOf('audited_queries')).toBe('400')
  expect(await migrated({ BROADGAUGE_AUDIT_DAYS: '30' })).toEqual(
    expect.arrayContaining([expect.stringContaining(`${stored('audited_queries')} keeps its rows for 30 days`)]),
  )
  expect(await retentionOf('audited_queries')).toBe('30')
  expect(await migrated({ BROADGAUGE_AUDIT_DAYS: '30' })).toEqual([])
})

it('rows past their time are gone, others are not', async () => {
  const [node] = world.engine('ADMIN').nodes
  const table = `${world.name}.${stored('audited_queries')}`
  await node?.command({
    query: `INSERT INTO ${table} (organisation, asked_at, id)
            SELECT 1, now() - toIntervalDay(number), generateUUIDv4() FROM numbers(100)`,
  })
  await node?.command({ query: `OPTIMIZE TABLE ${table} FINAL` })
  // A month goes when its last row has had its time: never sooner than promised, and a month later at most.
  expect(Number(await ask(`SELECT count() FROM ${table} WHERE asked_at > now() - toIntervalDay(29)`))).toBe(29)
  expect(Number(await ask(`SELECT count() FROM ${table} WHERE asked_at < now() - toIntervalDay(62)`))).toBe(0)
})

it('results are kept by test, for ever unless the configuration says otherwise', async () => {
  const limited = { BROADGAUGE_AUDIT_DAYS: '30', BROADGAUGE_RETENTION_DAYS: 'ping=365, traceroute=90' }
  expect(await retentionOf('ping')).toBe('')
  expect(await migrated(limited)).toHaveLength(2 * world.engine('ADMIN').nodes.length)
  expect([await retentionOf('ping'), await retentionOf('traceroute'), await retentionOf('dns')]).toEqual([
    '365',
    '90',
    '',
  ])
  const [node] = world.engine('ADMIN').nodes
  const table = `${world.name}.${stored('traceroute')}`
  await node?.command({
    query: `INSERT INTO ${table} (panel, agent, dtime) SELECT 1, 1, now() - toIntervalDay(number) FROM numbers(200)`,
  })
  await node?.command({ query: `OPTIMIZE TABLE ${table} FINAL` })
  expect(await ask(`SELECT count() FROM ${table} WHERE dtime > now() - toIntervalDay(89)`)).toBe('89')
  expect(await ask(`SELECT count() FROM ${table} WHERE dtime < now() - toIntervalDay(122)`)).toBe('0')
  expect(await migrated({ ...limited, BROADGAUGE_RETENTION_DAYS: 'ping=365' })).toHaveLength(
    world.engine('ADMIN').nodes.length,
  )
  expect(await retentionOf('traceroute')).toBe('')
})

it('the longest time that can be set keeps what is there: the engine counts in 32 bits', async () => {
  await migrated({ BROADGAUGE_RETENTION_DAYS: 'traceroute=10000', BROADGAUGE_AUDIT_DAYS: '10000' })
  const [node] = world.engine('ADMIN').nodes
  const table = `${world.name}.${stored('traceroute')}`
  await node?.command({ query: `INSERT INTO ${table} (panel, agent, dtime) VALUES (1, 77, now())` })
  await node?.command({ query: `OPTIMIZE TABLE ${table} FINAL` })
  expect(await ask(`SELECT count() FROM ${table} WHERE agent = 77`)).toBe('1')
  expect(() => readSettings({ ...world.environment, BROADGAUGE_AUDIT_DAYS: '10001' })).toThrow('BROADGAUGE_AUDIT_DAYS')
})

it('a new table has its time from the beginning: a replica has to be created as the others stand', async () => {
  const settings = { BROADGAUGE_RETENTION_DAYS: 'traceroute=10000, dns=90', BROADGAUGE_AUDIT_DAYS: '10000' }
  const made = [stored('dns'), stored('audited_queries')]
  for (const node of world.engine('ADMIN').nodes)
    for (const table of made) await node.command({ query: `DROP TABLE ${world.name}.${table} SYNC` })
  const done = await migrated(settings)
  const nodes = world.engine('ADMIN').nodes.length
  expect(done.filter((change) => made.some((table) => change.endsWith(`table ${table}`)))).toHaveLength(2 * nodes)
  expect(done).toHaveLength(2 * nodes)
  expect([await retentionOf('dns'), await retentionOf('audited_queries')]).toEqual(['90', '10000'])
})

it.each(['nothing=30', 'ping', 'ping=0', 'ping=3', 'ping=x', '=30', 'ping=10001', 'ping=36500'])(
  'a retention of %j is refused',
  (text) => {
    expect(() => readSettings({ ...world.environment, BROADGAUGE_RETENTION_DAYS: text })).toThrow(
      'BROADGAUGE_RETENTION_DAYS: takes tests and days',
    )
  },
)
