import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { statement } from '../../../../src/base/sql.ts'
import { catalog } from '../../../../src/catalog/catalog.ts'
import { shardTable, storedColumns } from '../../../../src/compile/schema/fact-table.ts'
import { convergeFactTables } from '../../../../src/engine/clickhouse/schema/converge-fact-tables.ts'
import { openWorld, type World } from '../../../kit/world.ts'

let world: World
const { shards } = inject('run')
const followed = { catalog, resultDays: new Map<string, number>() }
const layout = shards > 1 ? 'shard' : 'single'
const rowsTable = (key: string) => (shards > 1 ? shardTable(key) : key)

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
})
afterAll(() => world.close())

async function ask<Row>(query: string): Promise<Row[]> {
  const [node] = world.engine('ADMIN').nodes
  const result = await node?.query({ query, format: 'JSONEachRow' })
  return (await result?.json<Row>()) ?? []
}

describe.each(catalog.tests.map((test) => ({ key: test.key, test })))('the table of $key', ({ key, test }) => {
  it('has exactly the columns of the catalogue, in its order, with its types', async () => {
    const wanted = storedColumns(test).map(({ name, type, comment }) => ({ name, type: statement(type).text, comment }))
    for (const table of new Set([rowsTable(key), key])) {
      const present = await ask(
        `SELECT name, type, comment FROM system.columns WHERE database = '${world.name}' AND table = '${table}' ORDER BY position`,
      )
      expect(
        present.map((column) => ({ ...(column as object) })),
        table,
      ).toEqual(
        table === rowsTable(key)
          ? wanted
          : wanted.map((column) => expect.objectContaining({ name: column.name, type: column.type })),
      )
    }
  })

  it('is sorted by panel, day, agent and time, partitioned by month, and deduplicates inserts', async () => {
    const [table] = await ask<Record<string, string>>(
      `SELECT sorting_key, partition_key, create_table_query FROM system.tables
       WHERE database = '${world.name}' AND name = '${rowsTable(key)}'`,
    )
    expect(table?.['sorting_key']).toBe('panel, toDate(dtime), agent, dtime')
    expect(table?.['partition_key']).toBe('toYYYYMM(dtime)')
    expect(table?.['create_table_query']).toContain('non_replicated_deduplication_window = 10000')
  })
})

it('migrating again changes nothing', async () => {
  const engine = world.engine('ADMIN')
  for (const node of engine.nodes) expect(await convergeFactTables(node, engine, followed, layout)).toEqual([])
})

it.each([
  ['ping', 'rtt_std'],
  ['rejected_results', 'rows'],
])('adds to %s the missing column %s', async (name, column) => {
  const engine = world.engine('ADMIN')
  const tables = [...new Set([rowsTable(name), name])]
  for (const node of engine.nodes) {
    for (const table of tables.toReversed()) {
      await node.command({ query: `ALTER TABLE ${world.name}.${table} DROP COLUMN ${column}` })
    }
    expect(await convergeFactTables(node, engine, followed, layout)).toEqual(
      tables.map((table) => `column ${table}.${column}`),
    )
  }
})

it('refuses to turn a single node into a cluster in place, which would lose its rows', async () => {
  const engine = world.engine('ADMIN')
  const [node] = engine.nodes
  if (!node) throw new Error('no node')
  const other = { ...engine, cluster: engine.cluster === null ? 'broadgauge' : null }
  const attempt = convergeFactTables(node, other, followed, engine.cluster === null ? 'shard' : 'single')
  await expect(attempt).rejects.toThrow('cannot become a cluster')
})

it('refuses a column of another type, and an unknown one, instead of rewriting facts', async () => {
  const engine = world.engine('ADMIN')
  const [node] = engine.nodes
  if (!node) throw new Error('no node')
  await node.command({ query: `ALTER TABLE ${world.name}.${rowsTable('dns')} ADD COLUMN stray UInt8` })
  await expect(convergeFactTables(node, engine, followed, layout)).rejects.toThrow('stray')
  await node.command({
    query: `ALTER TABLE ${world.name}.${rowsTable('dns')} DROP COLUMN stray, MODIFY COLUMN rtt Nullable(Int32)`,
  })
  await expect(convergeFactTables(node, engine, followed, layout)).rejects.toThrow('dns')
})
