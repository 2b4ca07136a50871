import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Observation } from '../../../src/base/observe.ts'
import type { ClickHouseNode } from '../../../src/engine/clickhouse/clickhouse.ts'
import { openPostgres } from '../../../src/engine/postgres/postgres.ts'
import { mendDictionaries } from '../../../src/jobs/dictionaries/dictionary-keeper.ts'
import { until } from '../../faults/attempt.ts'
import { organisation, panel } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let admin: ReturnType<World['engine']>

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  admin = world.engine('ADMIN')
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox'])
})
afterAll(() => world.close())

/** Whether the engine may read the world's database in PostgreSQL; sessions it has open would go on. */
async function mayRead(allowed: boolean): Promise<void> {
  await runSql(
    world.superuserUrl,
    allowed
      ? `GRANT CONNECT ON DATABASE ${world.name} TO public`
      : `REVOKE CONNECT ON DATABASE ${world.name} FROM public;
         SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${world.name}' AND usename = 'bg_dictionary'`,
  )
}

function openStore() {
  const { BROADGAUGE_POSTGRES_URL: url = '' } = world.environment
  const postgres = openPostgres({ url, connectionsMax: 2, observe: () => {} })
  return { ...postgres, [Symbol.asyncDispose]: () => postgres.close() }
}

/** As if nobody had asked for it since the engine was started. */
async function unload(name: string): Promise<void> {
  for (const node of admin.nodes)
    for (const verb of ['DETACH', 'ATTACH']) await node.command({ query: `${verb} DICTIONARY ${world.name}.${name}` })
}

async function readAt(node: ClickHouseNode, name: string): Promise<number> {
  const result = await node.query({ query: `SELECT count() FROM ${world.name}.${name}`, format: 'TabSeparated' })
  return Number(await result.text())
}

const read = (name: string) => Promise.all(admin.nodes.map((node) => readAt(node, name)))

/** The engine cannot load it, and PostgreSQL is back a moment later. */
async function failToLoad(name: string): Promise<void> {
  await mayRead(false)
  await unload(name)
  // By every node: one that is still at it when PostgreSQL is back does not fail.
  for (const node of admin.nodes) await expect(readAt(node, name)).rejects.toThrow('permission denied for database')
  await mayRead(true)
}

it.each([
  ['spans', 'large'],
  ['timeline', 'large'],
  ['custom_values', 'large'],
  ['spans_recent', 'small'],
  ['timeline_recent', 'small'],
  ['agents', 'agents'],
  ['agents_by_key', 'agents'],
  ['isps', 'names'],
])('loads %s when it could not be loaded as it was first asked for', async (name, group) => {
  const before = await read(name)
  await failToLoad(name)
  // By itself the engine does not try again.
  await expect(read(name)).rejects.toThrow('permission denied for database')

  const observed: Observation[] = []
  await using postgres = openStore()
  const stores = { postgres, clickhouse: world.engine('DICTIONARY'), observe: (one: Observation) => observed.push(one) }
  await mendDictionaries(stores)
  expect(observed).toEqual([{ kind: 'dictionaries-mended', nodes: admin.nodes.length, groups: [group] }])
  expect(await read(name)).toEqual(before)
  await mendDictionaries(stores)
  expect(observed).toHaveLength(1)
})

it('is done by a service that runs, within seconds', async () => {
  const before = await read('timeline')
  await world.serve()
  await failToLoad('timeline')
  await until(async () => (await read('timeline').catch(() => [])).length > 0, 10_000)
  expect(await read('timeline')).toEqual(before)
})
