import type { AgentRow } from '../../../check/agent-row.ts'
import { bulkLoad, type BulkResult, type LoadedLine } from './bulk-load.ts'
import type { Operator } from './operator.ts'
import { readPanel } from './panels.ts'

/** Registers agents on a panel. One that is there already, on the same panel, takes the file's values. */
export async function importAgents(
  operator: Operator,
  panel: string,
  lines: AsyncIterable<LoadedLine<AgentRow>>,
  onProgress: (lines: number) => void,
): Promise<BulkResult> {
  const { id: panelId } = await readPanel(operator, panel)
  return bulkLoad<AgentRow>(operator, lines, {
    columns: { agent_id: 'text', unit_id: 'bigint', mac_address: 'text', kind: 'text', base: 'text', country: 'text' },
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
      taken('unit_id', 'a.unit_id = incoming.unit_id'),
      taken('mac_address', 'a.mac_key = identifier_key(incoming.mac_address)'),
    ],
    writes: [{ text: upsert, values: [panelId] }],
    onProgress,
  })
}

const repeated = (column: string, key: string) => ({
  text: `SELECT line, '${column}: also on line ' || first_line AS fault
         FROM (SELECT line, min(line) OVER (PARTITION BY ${key}) AS first_line FROM incoming WHERE ${key} IS NOT NULL) i
         WHERE line <> first_line ORDER BY line LIMIT 20`,
  values: [],
})

/** Held by an agent that is not the one on this line. */
const taken = (column: string, match: string) => ({
  text: `SELECT line, '${column}: belongs to another agent' AS fault
         FROM incoming JOIN agents a ON ${match} AND a.agent_key <> identifier_key(incoming.agent_id)
         ORDER BY line LIMIT 20`,
  values: [],
})

const upsert = `
  WITH written AS (
    INSERT INTO agents (panel_id, kind, agent_id, unit_id, mac_address, base, country)
    SELECT $1, kind, agent_id, unit_id, mac_address, base, country FROM incoming ORDER BY line
    ON CONFLICT (agent_key) DO UPDATE SET kind = excluded.kind, agent_id = excluded.agent_id,
      unit_id = excluded.unit_id, mac_address = excluded.mac_address, base = excluded.base, country = excluded.country
    RETURNING xmax = 0 AS created
  )
  SELECT (count(*) FILTER (WHERE created))::integer AS created, (count(*) FILTER (WHERE NOT created))::integer AS changed
  FROM written`
