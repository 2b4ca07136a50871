import type { Scope } from '../../base/caller.ts'
import type { AgentReference } from '../../check/agent-reference.ts'
import { readAsTenant } from './as-tenant.ts'
import { metadataColumns, metadataJoins, type AgentMetadata } from './metadata-columns.ts'
import { findRows, type Postgres } from './postgres.ts'

/** A stretch of days on which an agent's metadata was the same; `from` null: since ever, `to` null: until now. */
export type HistorySpan = AgentMetadata & { from: string | null; to: string | null }

const match = {
  agent: 'a.agent_key = identifier_key($2)',
  unit: 'a.unit_id = $2::bigint',
  mac: 'a.mac_key = identifier_key($2)',
} as const

const statement = (field: AgentReference['field']) => ({
  name: `read-history-${field}`,
  text: `
    SELECT CASE WHEN m.from_day > '1970-01-01' THEN m.from_day::text END AS from,
      (lead(m.from_day) OVER (ORDER BY m.from_day) - 1)::text AS to, ${metadataColumns}
    FROM agents a JOIN spans m ON m.agent_id = a.id ${metadataJoins}
    WHERE ${match[field]} AND a.panel_id IN (
      SELECT id FROM panels
      WHERE owner_id = $1 OR id IN (SELECT panel_id FROM panel_subscriptions WHERE organisation_id = $1))
    ORDER BY m.from_day`,
})

/** The whole timeline of one agent, oldest first; empty when the caller cannot see such an agent. */
export const readHistory = (
  scope: Scope,
  postgres: Postgres,
  { field, value }: AgentReference,
): Promise<HistorySpan[]> =>
  readAsTenant(scope, postgres, (client) =>
    findRows<HistorySpan>(client, statement(field), [scope.organisationId, value]),
  )
