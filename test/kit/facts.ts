import { catalog } from '../../src/catalog/catalog.ts'
import { openClickHouse, type ClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'
import { reloadDictionaries } from '../../src/engine/clickhouse/dictionaries/reload-dictionaries.ts'
import { clickHouseOptions, readSettings, type ClickHouseRole } from '../../src/serve/config.ts'
import { runSql } from './run-sql.ts'
import type { World } from './world.ts'

/** One result: the agent, the time (UTC, 'YYYY-MM-DD HH:MM:SS.mmm'), and the columns that only this test has. */
export type FactRow = {
  /** The text id of the agent, as in `agent({ agent_id })`. */
  agent: string
  dtime: string
  /** Key of the panel under which the result was ingested. The default is the agent's current panel. */
  panel?: string
  [column: string]: unknown
}

type AgentNumbers = { agent_id: string; agent: number; panel: number }

/**
 * Stores results as ingest does, on one node or on a cluster. Then loads the agents into the dictionaries of every
 * node. A result has one success and no failure, unless the row gives other numbers. Other missing columns are null, or
 * empty if the column is required.
 */
export async function storeFacts(world: World, test: string, rows: readonly FactRow[]): Promise<void> {
  const agents = new Map((await findAgents(world)).map((one) => [one.agent_id, one]))
  const panels = new Map((await findPanels(world)).map(({ key, id }) => [key, id]))
  const outcome = hasOutcome(test) ? { successes: 1, failures: 0 } : {}
  const values = rows.map(({ agent: agentId, panel, ...columns }) => {
    const known = agents.get(agentId)
    if (known === undefined) throw new Error(`no agent ${agentId} in this world`)
    return { ...outcome, ...columns, agent: known.agent, panel: panel === undefined ? known.panel : panels.get(panel) }
  })
  await asEngineUser(world, 'INGEST', async ({ nodes: [node], database }) => {
    await node?.insert({
      table: `${database}.${test}`,
      values,
      format: 'JSONEachRow',
      clickhouse_settings: { distributed_foreground_insert: 1, async_insert: 0 },
    })
  })
  await reloadAgents(world)
}

/** Loads imported agents into ClickHouse's dictionaries, so that the next query finds them. */
export const reloadAgents = (world: World): Promise<void> =>
  asEngineUser(world, 'ADMIN', (clickhouse) => reloadDictionaries(clickhouse, 'agents'))

async function asEngineUser(
  world: World,
  role: ClickHouseRole,
  work: (clickhouse: ClickHouse) => Promise<void>,
): Promise<void> {
  const clickhouse = openClickHouse(clickHouseOptions(readSettings(world.environment), role))
  try {
    await work(clickhouse)
  } finally {
    await clickhouse.close()
  }
}

const findAgents = (world: World): Promise<AgentNumbers[]> =>
  runSql(world.superuserUrl, 'SELECT agent_id, id AS agent, panel_id AS panel FROM agents')

const findPanels = (world: World): Promise<{ key: string; id: number }[]> =>
  runSql(world.superuserUrl, 'SELECT key, id FROM panels')

const hasOutcome = (key: string): boolean =>
  catalog.tests.find((test) => test.key === key)?.columns.some(({ name }) => name === 'successes') ?? false
