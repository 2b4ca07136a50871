import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { shardTable } from '../../../../src/compile/schema/fact-table.ts'
import { storeFacts } from '../../../kit/facts.ts'
import { agent, asLines, organisation } from '../../../kit/panels.ts'
import { createPanel } from '../../../../src/engine/postgres/operator/panels.ts'
import { importAgents } from '../../../../src/engine/postgres/operator/import-agents.ts'
import { openWorld, type World } from '../../../kit/world.ts'

let world: World
const { shards } = inject('run')
const agents = 1_000
const rows = 20_000

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  const lines = Array.from({ length: agents }, (_, index) => ({
    line: index + 2,
    row: agent({ agent_id: `a-${index}` }),
  }))
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'panel', name: 'panel', owner: 'acme' })
    await importAgents(operator, 'panel', asLines(lines), () => {})
  })
  await storeFacts(
    world,
    'httpget',
    Array.from({ length: rows }, (_, index) => ({
      agent: `a-${index % agents}`,
      dtime: `2026-01-${String(1 + (index % 28)).padStart(2, '0')} 10:00:00.123`,
      target: 'server',
      bytes_sec: 1_000_000 + index,
    })),
  )
})
afterAll(() => world.close())

it('distributes the rows over all shards, each agent on one shard', async () => {
  const table = shards > 1 ? shardTable('httpget') : 'httpget'
  const held = await Promise.all(
    world.engine('ADMIN').nodes.map(async (node) => {
      const result = await node.query({
        query: `SELECT toUInt32(count()) AS rows, groupUniqArray(agent) AS agents FROM ${world.name}.${table}`,
        format: 'JSONEachRow',
      })
      const [row] = await result.json<{ rows: number; agents: number[] }>()
      return row ?? { rows: 0, agents: [] }
    }),
  )
  expect(held).toHaveLength(shards)
  expect(held.reduce((sum, one) => sum + one.rows, 0)).toBe(rows)
  expect(held.every((one) => one.rows > rows / shards / 2)).toBe(true)
  expect(held.flatMap((one) => one.agents).toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: agents }, (_, index) => index + 1),
  )
})

it('gives the same answer from every node as on a single node', async () => {
  const answers = await Promise.all(
    world.engine('QUERY').nodes.map(async (node) => {
      const result = await node.query({
        query: `SELECT count() AS rows, uniqExact(agent) AS agents, sum(bytes_sec) AS sum, min(dtime) AS first
                FROM ${world.name}.httpget WHERE panel = 1`,
        format: 'JSONEachRow',
      })
      return result.json()
    }),
  )
  const sum = Array.from({ length: rows }, (_, index) => 1_000_000 + index).reduce((all, one) => all + one, 0)
  const expected = [{ rows, agents, sum, first: '2026-01-01 10:00:00.123' }]
  expect(answers).toEqual(Array.from({ length: shards }, () => expected))
})

it('resolves an agent number on every node', async () => {
  for (const node of world.engine('QUERY').nodes) {
    const result = await node.query({
      query: `SELECT dictGet('${world.name}.agents', ('agent_id', 'panel_id', 'kind', 'base'), toUInt64(7)) AS known`,
      format: 'JSONEachRow',
    })
    expect(await result.json()).toEqual([
      { known: { agent_id: 'a-6', panel_id: 1, kind: 'whitebox', base: 'model-x' } },
    ])
  }
})
