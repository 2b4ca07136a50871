import { afterAll, beforeAll, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import type { ClickHouseNode } from '../../../src/engine/clickhouse/clickhouse.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { openPostgres, type Postgres } from '../../../src/engine/postgres/postgres.ts'
import { nodesWithAgents } from '../../../src/ingest/batch/new-agents.ts'
import { batchWriter } from '../../../src/ingest/batch/write-batch.ts'
import { agent, asLines, organisation, panel } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let postgres: Postgres

// No instance runs, so nothing publishes registered agents to ClickHouse.
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox'])
  const url = world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
  postgres = openPostgres({ url, connectionsMax: 4, observe: () => {} })
})
afterAll(async () => {
  await postgres.close()
  await world.close()
})

const register = (agentId: string) =>
  world.operate((operator) =>
    importAgents(operator, 'homes', asLines([{ line: 2, row: agent({ agent_id: agentId }) }]), () => {}),
  )

/** Returns the node with one method replaced by `value`. */
const spoilt = (node: ClickHouseNode, method: 'command' | 'exec', value: () => Promise<never>): ClickHouseNode =>
  Object.create(node, { [method]: { value } })

const unresolved = async () => {
  throw Object.assign(new Error('no address'), { code: 'EAI_AGAIN' })
}

/**
 * Two ClickHouse nodes. The first node runs, but it cannot reload its dictionaries and it refuses inserts. The second
 * node works.
 */
function halfReachable() {
  const [inserting] = world.engine('INGEST').nodes
  const [reloading] = world.engine('DICTIONARY').nodes
  if (inserting === undefined || reloading === undefined) throw new Error('no node')
  const uninformed = spoilt(inserting, 'exec', () => Promise.reject(new Error('this one does not know the agent')))
  const engine = world.engine('INGEST')
  return {
    postgres,
    clickhouse: { ...engine, nodes: [uninformed, inserting] },
    dictionaries: { ...engine, nodes: [spoilt(reloading, 'command', unresolved), reloading] },
  }
}

it('sends results of a new agent only to nodes that know it', async () => {
  await register('new-1')
  const write = batchWriter(halfReachable(), () => Temporal.Now.instant())
  const test = catalog.tests.find(({ key }) => key === 'ping')
  if (test === undefined) throw new Error('no test')
  for (const seconds of [1, 2, 3, 4]) {
    const dtime = Temporal.Now.instant().subtract({ seconds }).toString({ smallestUnit: 'second' })
    const row = { agent_id: 'new-1', dtime, target: 'x', rtt_avg: 1_000, successes: 1, failures: 0 }
    const batch = { test, format: { kind: 'ndjson' }, name: null, rowsBefore: 0, source: '' } as const
    const written = await write({ organisationId: 1 }, { ...batch, data: Buffer.from(`${JSON.stringify(row)}\n`) })
    expect(written).toMatchObject({ accepted: 1, rejected: 0 })
  }
})

it('uses every node again when the agents have been published', async () => {
  await register('new-2')
  const stores = halfReachable()
  const findNodes = nodesWithAgents(stores)
  expect(await findNodes()).toEqual(stores.clickhouse.nodes.slice(1))
  await runSql(world.superuserUrl, 'UPDATE metadata_events SET published = true')
  expect(await findNodes()).toEqual(stores.clickhouse.nodes)
})

it('accepts no results while no node can load a new agent', async () => {
  await register('new-3')
  const { dictionaries, ...stores } = halfReachable()
  const nodes = dictionaries.nodes.slice(0, 1)
  const findNodes = nodesWithAgents({ ...stores, dictionaries: { ...dictionaries, nodes } })
  await expect(findNodes()).rejects.toMatchObject({ detail: 'ClickHouse is unavailable' })
  await expect(findNodes()).rejects.toMatchObject({ detail: 'ClickHouse is unavailable' })
})
