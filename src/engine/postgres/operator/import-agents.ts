import type { AgentRow } from '../../../check/rows/agent-row.ts'
import { bulkLoad, type BulkResult, type LoadedLine } from './bulk-load.ts'
import type { Operator } from './operator.ts'
import { readPanel } from './panels.ts'

/**
 * Registers agents on a panel. An agent that is already on this panel gets the values of the file: either all values, or only
 * the model (if given), for files that do not have the other values.
 */
export async function importAgents(
  operator: Operator,
  panel: string,
  lines: AsyncIterable<LoadedLine<AgentRow>>,
  onProgress: (lines: number) => void,
  taken: 'everything' | 'model' = 'everything',
): Promise<BulkResult> {
  const { id: panelId } = await readPanel(operator, panel)
  return bulkLoad<AgentRow>(operator, lines, {
    columns: { agent_id: 'text', unit_id: 'bigint', mac_address: 'text', kind: 'text', base: 'text', country: 'text' },
    before: [lock],
    faults: [
      repeated('agent_id', 'identifier_key(agent_id)'),
      repeated('unit_id', 'unit_id'),
      repeated('mac_address', 'identifier_key(mac_address)'),
      {
        text: `SELECT line, 'agent_id: belongs to another panel' AS fault
               FROM incoming JOIN agents a ON a.agent_key = identifier_key(incoming.agent_id)
               WHERE a.panel_id <> $1 ORDER BY line LIMIT 20`,
        values: [panelId],
      },
      ofAnotherAgent('unit_id', 'a.unit_id = incoming.unit_id'),
      ofAnotherAgent('mac_address', 'a.mac_key = identifier_key(incoming.mac_address)'),
    ],
    writes: [
      { text: updates[taken], values: [] },
      { text: insert, values: [panelId] },
    ],
    onProgress,
  })
}

const repeated = (column: string, key: string) => ({
  text: `SELECT line, '${column}: also on line ' || first_line AS fault
         FROM (SELECT line, min(line) OVER (PARTITION BY ${key}) AS first_line FROM incoming WHERE ${key} IS NOT NULL) i
         WHERE line <> first_line ORDER BY line LIMIT 20`,
  values: [],
})

/** Finds lines with a value that belongs to another agent than the agent of the line. */
const ofAnotherAgent = (column: string, match: string) => ({
  text: `SELECT line, '${column}: belongs to another agent' AS fault
         FROM incoming JOIN agents a ON ${match} AND a.agent_key <> identifier_key(incoming.agent_id)
         ORDER BY line LIMIT 20`,
  values: [],
})

/**
 * Two concurrent imports would not see each other's agents, so imports run one after another. The lock does not block readers.
 */
const lock = { text: 'LOCK TABLE agents IN SHARE ROW EXCLUSIVE MODE', values: [] }

/** Updates only rows that differ, and inserts only new ones. Inserting an existing agent would use up an agent number. */
const updates = {
  everything: `
  UPDATE agents SET kind = incoming.kind, agent_id = incoming.agent_id, unit_id = incoming.unit_id,
    mac_address = incoming.mac_address, base = incoming.base, country = incoming.country
  FROM incoming WHERE agents.agent_key = identifier_key(incoming.agent_id)
    AND (agents.kind, agents.agent_id, agents.unit_id, agents.mac_address, agents.base, agents.country)
      IS DISTINCT FROM (incoming.kind, incoming.agent_id, incoming.unit_id, incoming.mac_address, incoming.base, incoming.country)`,
  model: `
  UPDATE agents SET base = incoming.base
  FROM incoming WHERE agents.agent_key = identifier_key(incoming.agent_id)
    AND incoming.base IS NOT NULL AND agents.base IS DISTINCT FROM incoming.base`,
}

const insert = `
  WITH created AS (
    INSERT INTO agents (panel_id, kind, agent_id, unit_id, mac_address, base, country)
    SELECT $1, kind, agent_id, unit_id, mac_address, base, country FROM incoming
    WHERE NOT EXISTS (SELECT FROM agents WHERE agents.agent_key = identifier_key(incoming.agent_id))
    ORDER BY line
    RETURNING id
  )
  SELECT (SELECT count(*) FROM created)::integer AS created,
    ((SELECT count(*) FROM incoming) - (SELECT count(*) FROM created))::integer AS changed`
