import type { Scope } from '../../../base/caller.ts'
import type { AgentSearch } from '../../../check/metadata/search-request.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'
import { readablePanels } from '../access/panels.ts'

/**
 * Reads the agents of each panel in index order. The condition does not use LIKE: with row-level security, PostgreSQL uses an
 * index only for leakproof operators. Keys contain only letters and digits, which sort before `~`.
 */
const firstOf = (key: string) => `
      SELECT found.id FROM readable CROSS JOIN LATERAL (
        SELECT id FROM agents WHERE panel_id = readable.id
          AND ${key} COLLATE "C" >= $2::text AND ${key} COLLATE "C" < $2::text || '~'
        ORDER BY ${key} COLLATE "C" LIMIT $3
      ) AS found`

/** No unit number has more than 16 digits, and a longer number might not fit into a bigint. */
const unit = `CASE WHEN $2::text ~ '^[0-9]{1,16}$' THEN $2::text::bigint END`

const statement = {
  name: 'search-agents',
  text: `WITH readable AS (SELECT id, key FROM ${readablePanels}), found AS (
      SELECT id FROM agents WHERE unit_id = ${unit}
      UNION ${firstOf('agent_key')}
      UNION ${firstOf('mac_key')}
    )
    SELECT agent_id, unit_id::float8 AS unit_id, mac_address, kind, readable.key AS panel
    FROM found JOIN agents USING (id) JOIN readable ON readable.id = agents.panel_id
    ORDER BY coalesce(unit_id = ${unit}, false) DESC, agent_key COLLATE "C" LIMIT $3`,
}

export type FoundAgent = {
  agent_id: string
  unit_id: number | null
  mac_address: string | null
  kind: string
  panel: string
}

/**
 * Finds agents on readable panels whose agent id or MAC address begins with the key, or whose unit number equals it. The agent
 * with the unit number comes first.
 */
export const searchAgents = (scope: Scope, postgres: Postgres, { key, rowsMax }: AgentSearch): Promise<FoundAgent[]> =>
  readAsTenant(scope, postgres, (client) =>
    findRows<FoundAgent>(client, statement, [scope.organisationId, key, rowsMax]),
  )
