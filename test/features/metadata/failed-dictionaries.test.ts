import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Observation } from '../../../src/base/observe.ts'
import type { ClickHouseNode } from '../../../src/engine/clickhouse/clickhouse.ts'
import { openPostgres } from '../../../src/engine/postgres/postgres.ts'
import { reloadFailedDictionaries } from '../../../src/jobs/dictionaries/reconcile-dictionaries.ts'
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

/**
 * Grants or revokes ClickHouse's access to the PostgreSQL database of the world. Open sessions would keep their access,
 * so this function terminates them.
 */
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

/** Unloads the dictionary. ClickHouse then behaves as if no query had used it since the start. */
async function unload(name: string): Promise<void> {
  for (const node of admin.nodes)
    for (const verb of ['DETACH', 'ATTACH']) await node.command({ query: `${verb} DICTIONARY ${world.name}.${name}` })
}

async function readAt(node: ClickHouseNode, name: string): Promise<number> {
  const result = await node.query({ query: `SELECT count() FROM ${world.name}.${name}`, format: 'TabSeparated' })
  return Number(await result.text())
}

const read = (name: string) => Promise.all(admin.nodes.map((node) => readAt(node, name)))

/**
 * Makes ClickHouse fail to load the dictionary. When the function returns, ClickHouse has access to PostgreSQL again.
 */
async function failToLoad(name: string): Promise<void> {
  await mayRead(false)
  await unload(name)
  // Wait for the failure on every node. If a node were still loading when the access returns, its load would succeed.
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
])('loads %s if its first load failed', async (name, group) => {
  const before = await read(name)
  await failToLoad(name)
  // ClickHouse does not retry the load by itself.
  await expect(read(name)).rejects.toThrow('permission denied for database')

  const observed: Observation[] = []
  await using postgres = openStore()
  const stores = { postgres, clickhouse: world.engine('DICTIONARY'), observe: (one: Observation) => observed.push(one) }
  await reloadFailedDictionaries(stores)
  expect(observed).toEqual([{ kind: 'dictionaries-repaired', nodes: admin.nodes.length, groups: [group] }])
  expect(await read(name)).toEqual(before)
  await reloadFailedDictionaries(stores)
  expect(observed).toHaveLength(1)
})

it('a running instance loads it within seconds', async () => {
  const before = await read('timeline')
  await world.serve()
  await failToLoad('timeline')
  await until(async () => (await read('timeline').catch(() => [])).length > 0, 10_000)
  expect(await read('timeline')).toEqual(before)
})
