import { comparable } from '../../../base/comparable.ts'
import { operate, type Operator, OperatorError } from './operator.ts'
import { readPanel } from './panels.ts'

export type AgentRecord = {
  number: number
  panel: string
  kind: string
  agent_id: string
  unit_id: string | null
  mac_address: string | null
  base: string | null
  country: string | null
}

/** Reads an agent by its agent id, ignoring punctuation and case. */
export async function readAgent(operator: Operator, agentId: string): Promise<AgentRecord> {
  const query = `${selection} WHERE agent_key = identifier_key($1)`
  const [agent] = await operate<AgentRecord>(operator, query, [comparable(agentId)])
  if (agent === undefined) throw new OperatorError(`There is no agent "${agentId}".`)
  return agent
}

export async function findAgents(operator: Operator, panel: string, rowsMax: number): Promise<AgentRecord[]> {
  const { id } = await readPanel(operator, panel)
  return operate<AgentRecord>(operator, `${selection} WHERE p.id = $1 ORDER BY a.id LIMIT $2`, [id, rowsMax])
}

/** Returns the smallest and the largest agent number of a panel. Numbers between them can belong to agents of other panels. */
export async function readAgentNumbers(operator: Operator, panel: string): Promise<{ first: number; last: number }> {
  const { id } = await readPanel(operator, panel)
  const [row] = await operate<{ first: number | null; last: number | null }>(
    operator,
    'SELECT min(id) AS first, max(id) AS last FROM agents WHERE panel_id = $1',
    [id],
  )
  return { first: row?.first ?? 1, last: row?.last ?? 0 }
}

const selection = `
  SELECT a.id AS number, p.key AS panel, kind, agent_id, unit_id, mac_address, base, country
  FROM agents a JOIN panels p ON p.id = a.panel_id`

/** Returns the units that match no agent of any panel, neither by agent id nor by unit number. */
export async function findUnregistered(operator: Operator, unitIds: readonly string[]): Promise<string[]> {
  const rows = await operate<{ id: string }>(
    operator,
    `SELECT id FROM unnest($1::text[]) WITH ORDINALITY AS given (id, place)
     WHERE NOT EXISTS (SELECT FROM agents WHERE agent_key = identifier_key(given.id) OR unit_id = given.id::bigint)
     ORDER BY place`,
    [unitIds],
  )
  return rows.map(({ id }) => id)
}
