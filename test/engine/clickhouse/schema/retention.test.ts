import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { shardTable } from '../../../../src/compile/schema/fact-table.ts'
import { readSettings } from '../../../../src/serve/config.ts'
import { migrate } from '../../../../src/serve/tasks/migrate.ts'
import { openWorld, type World } from '../../../kit/world.ts'

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

it('results are kept by test, for ever unless configured otherwise', async () => {
  const limited = { BROADGAUGE_RETENTION_DAYS: 'ping=365, traceroute=90' }
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

it('the longest possible retention keeps existing rows: ClickHouse counts in 32 bits', async () => {
  await migrated({ BROADGAUGE_RETENTION_DAYS: 'traceroute=10000' })
  const [node] = world.engine('ADMIN').nodes
  const table = `${world.name}.${stored('traceroute')}`
  await node?.command({ query: `INSERT INTO ${table} (panel, agent, dtime) VALUES (1, 77, now())` })
  await node?.command({ query: `OPTIMIZE TABLE ${table} FINAL` })
  expect(await ask(`SELECT count() FROM ${table} WHERE agent = 77`)).toBe('1')
  expect(() => readSettings({ ...world.environment, BROADGAUGE_AUDIT_DAYS: '10001' })).toThrow('BROADGAUGE_AUDIT_DAYS')
})

it('a new table has its retention from the start: a replica must be created with the definition of the others', async () => {
  const { nodes } = world.engine('ADMIN')
  for (const node of nodes) await node.command({ query: `DROP TABLE ${world.name}.${stored('dns')} SYNC` })
  const done = await migrated({ BROADGAUGE_RETENTION_DAYS: 'traceroute=10000, dns=90' })
  expect(done).toEqual(nodes.map(() => expect.stringMatching(`table ${stored('dns')}$`)))
  expect(await retentionOf('dns')).toBe('90')
})

it.each(['nothing=30', 'ping', 'ping=0', 'ping=3', 'ping=x', '=30', 'ping=10001', 'ping=36500'])(
  'a retention of %j is refused',
  (text) => {
    expect(() => readSettings({ ...world.environment, BROADGAUGE_RETENTION_DAYS: text })).toThrow(
      'BROADGAUGE_RETENTION_DAYS: takes tests and days',
    )
  },
)
