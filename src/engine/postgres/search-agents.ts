import type { Scope } from '../../base/caller.ts'
import type { AgentSearch } from '../../check/search-request.ts'
import { readAsTenant } from './as-tenant.ts'
import { findRows, type Postgres } from './postgres.ts'

/** Not LIKE: row-level security keeps it from the index, since what it compares could leak; of these operators it is known that it cannot. */
const beginsWith = (column: string) => `${column} ~>=~ $2::text AND ${column} ~<~ ($2::text || '~')`

const statement = {
  name: 'search-agents',
  text: `WITH readable AS (
      SELECT id, key FROM panels
      WHERE owner_id = $1 OR id IN (SELECT panel_id FROM panel_subscriptions WHERE organisation_id = $1)
    ), found AS (
      (SELECT id FROM agents WHERE unit_id = CASE WHEN $2::text ~ '^[0-9]{1,15}$' THEN $2::text::bigint END)
      UNION
      (SELECT id FROM agents WHERE ${beginsWith('agent_key')} AND panel_id IN (SELECT id FROM readable)
       ORDER BY agent_key USING ~<~ LIMIT $3)
      UNION
      (SELECT id FROM agents WHERE ${beginsWith('mac_key')} AND panel_id IN (SELECT id FROM readable)
       ORDER BY mac_key USING ~<~ LIMIT $3)
    )
    SELECT agent_id, unit_id::float8 AS unit_id, mac_address, kind, readable.key AS panel
    FROM found JOIN agents USING (id) JOIN readable ON readable.id = agents.panel_id
    ORDER BY agent_key USING ~<~ LIMIT $3`,
}

export type FoundAgent = {
  agent_id: string
  unit_id: number | null
  mac_address: string | null
  kind: string
  panel: string
}

/** Agents of readable panels whose id or MAC address begins so, or whose unit it is. */
export const searchAgents = (scope: Scope, postgres: Postgres, { key, rowsMax }: AgentSearch): Promise<FoundAgent[]> =>
  readAsTenant(scope, postgres, (client) =>
    findRows<FoundAgent>(client, statement, [scope.organisationId, key, rowsMax]),
  )
