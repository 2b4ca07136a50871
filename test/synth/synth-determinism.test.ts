import { afterAll, beforeAll, expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.ts'
import { shardTable } from '../../src/compile/schema/fact-table.ts'
import { organisation } from '../kit/panels.ts'
import { synthPanel, type SynthPanelOptions } from '../kit/synth-panel.ts'
import { openWorld, type World } from '../kit/world.ts'
import goldenChecksums from './synth-checksums.json' with { type: 'json' }

const worlds: World[] = []
const tests = catalog.tests.map(({ key }) => key)
const small: SynthPanelOptions = { agents: 40, days: 2, owner: 'acme', panel: 'small' }
let first: World

beforeAll(async () => {
  first = await newWorld()
  await synthPanel(first, small)
}, 240_000)
afterAll(() => Promise.all(worlds.map((world) => world.close())))

async function newWorld(): Promise<World> {
  const world = await openWorld({ clickhouse: true })
  worlds.push(world)
  await organisation(world, 'acme')
  return world
}

/**
 * A checksum for each test over all rows of the panel `small`. It does not depend on the order of the rows. It uses the
 * names of agents, because their numbers depend on the agents that were registered before.
 */
async function checksums(world: World, keys: readonly string[] = tests): Promise<Record<string, string>> {
  const sums: Record<string, string> = {}
  for (const key of keys) {
    const columns = catalog.tests.find((test) => test.key === key)?.columns.map(({ name }) => name) ?? []
    const result = await world.engine('QUERY').nodes[0]?.query({
      query: `SELECT concat(toString(count()), ' rows ', hex(groupBitXor(cityHash64(agent_id, dtime, toString(tuple(${columns.join()})))))) AS sum
              FROM (SELECT *, dictGet('${world.name}.agents', 'agent_id', agent) AS agent_id FROM ${world.name}.${key})
              WHERE startsWith(agent_id, 'small-')`,
      format: 'JSONEachRow',
    })
    const [row] = (await result?.json<{ sum: string }>()) ?? []
    sums[key] = row?.sum ?? 'nothing'
  }
  return sums
}

it('makes the same rows from the same seed, on any number of shards, as the committed checksums', async () => {
  expect(await checksums(first)).toEqual(goldenChecksums)
})

it('makes the same rows if agents have other numbers', async () => {
  const world = await newWorld()
  await synthPanel(world, { ...small, panel: 'before', agents: 7, tests: ['dns'] })
  await synthPanel(world, { ...small, tests: ['httpget', 'dns', 'mobile_www'] })
  const { httpget, dns, mobile_www } = goldenChecksums
  expect(await checksums(world, ['httpget', 'dns', 'mobile_www'])).toEqual({ httpget, dns, mobile_www })
}, 120_000)

it('makes other rows from another seed', async () => {
  const world = await newWorld()
  await synthPanel(world, { ...small, seed: 2, tests: ['httpget', 'dns'] })
  const { httpget, dns } = await checksums(world, ['httpget', 'dns'])
  expect(httpget).not.toBe(goldenChecksums.httpget)
  expect(dns).not.toBe(goldenChecksums.dns)
}, 120_000)

it('duplicates nothing when it runs again, and completes what an interrupted run omitted', async () => {
  // Simulate an interrupted run: one shard has its rows of `dns`, another shard does not, and `mobile_www` has no rows.
  await forget('dns', 'agent % 2 = 1')
  await forget('mobile_www', '1')
  expect(await checksums(first, ['dns'])).not.toEqual({ dns: goldenChecksums.dns })
  await synthPanel(first, { ...small, tests: ['httpget', 'dns', 'mobile_www'] })
  expect(await checksums(first)).toEqual(goldenChecksums)
}, 120_000)

it('duplicates nothing when two runs make the same panel concurrently', async () => {
  await forget('dns', '1')
  await forget('traceroute', '1')
  const twice = ['dns', 'traceroute'].flatMap((test) => [test, test])
  await Promise.all(twice.map((test) => synthPanel(first, { ...small, tests: [test] })))
  expect(await checksums(first)).toEqual(goldenChecksums)
}, 120_000)

async function forget(table: string, condition: string): Promise<void> {
  const engine = first.engine('ADMIN')
  for (const node of engine.nodes) {
    const local = engine.cluster === null ? table : shardTable(table)
    await node.command({
      query: `ALTER TABLE ${first.name}.${local} DELETE WHERE ${condition}`,
      clickhouse_settings: { mutations_sync: '2' },
    })
  }
}

it('refuses an existing panel that was made with other options, and writes nothing', async () => {
  const other = { ...small, tests: ['httpget'] }
  await expect(synthPanel(first, { ...other, seed: 3 })).rejects.toThrow(
    /There is a panel "small" of acme already, made from/,
  )
  await expect(synthPanel(first, { ...other, agents: 41 })).rejects.toThrow('Give the same options')
  await expect(synthPanel(first, { ...other, days: 3 })).rejects.toThrow('Give the same options')
  await organisation(first, 'other')
  await expect(synthPanel(first, { ...other, owner: 'other' })).rejects.toThrow('of acme already')
  expect(await checksums(first, ['httpget'])).toEqual({ httpget: goldenChecksums.httpget })
})
