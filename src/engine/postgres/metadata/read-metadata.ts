import type { Scope } from '../../../base/caller.ts'
import type { AgentReference } from '../../../check/metadata/metadata-selector.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'
import { readablePanels } from '../access/panels.ts'

/**
 * A range of days in which the metadata of an agent did not change. `from` is null for the first range, and `to` is null for
 * the current one.
 */
type HistorySpan = AgentMetadata & { from: string | null; to: string | null }

const match = {
  agent: 'a.agent_key = identifier_key($2)',
  unit: 'a.unit_id = $2::bigint',
  mac: 'a.mac_key = identifier_key($2)',
} as const

const current = (field: AgentReference['field']) => ({
  name: `read-metadata-${field}`,
  text: `
    SELECT ${metadataColumns} FROM agents a JOIN current_metadata m ON m.agent_id = a.id ${metadataJoins}
    WHERE ${match[field]} AND a.panel_id IN (SELECT id FROM ${readablePanels})`,
})

const history = (field: AgentReference['field']) => ({
  name: `read-history-${field}`,
  text: `
    SELECT CASE WHEN m.from_day > '1970-01-01' THEN m.from_day::text END AS from,
      (lead(m.from_day) OVER (ORDER BY m.from_day) - 1)::text AS to, ${metadataColumns}
    FROM agents a JOIN spans m ON m.agent_id = a.id ${metadataJoins}
    WHERE ${match[field]} AND a.panel_id IN (SELECT id FROM ${readablePanels})
    ORDER BY m.from_day`,
})

/** Reads the current metadata of one agent. Returns null if the agent does not exist or the caller may not see it. */
export async function readMetadata(
  scope: Scope,
  postgres: Postgres,
  { field, value }: AgentReference,
): Promise<AgentMetadata | null> {
  const [row] = await readAsTenant(scope, postgres, (client) =>
    findRows<AgentMetadata>(client, current(field), [scope.organisationId, value]),
  )
  return row ?? null
}

/**
 * Reads the whole timeline of one agent, the oldest span first. Returns an empty list if the agent does not exist or the caller
 * may not see it.
 */
export const readHistory = (
  scope: Scope,
  postgres: Postgres,
  { field, value }: AgentReference,
): Promise<HistorySpan[]> =>
  readAsTenant(scope, postgres, (client) =>
    findRows<HistorySpan>(client, history(field), [scope.organisationId, value]),
  )

/** The metadata of one agent, as the API shows it. */
export type AgentMetadata = {
  package: string | null
  isp: string | null
  timezone: string | null
  custom: Record<string, string | number>
}

/** SQL for the four fields of `AgentMetadata`, from a row `m` with isp_id, package_id, zone_id and custom. */
export const metadataColumns = `
  isps.name || ':' || packages.name AS package, isps.name AS isp, zones.name AS timezone, m.custom`

export const metadataJoins = `
  LEFT JOIN isps ON isps.id = m.isp_id LEFT JOIN packages ON packages.id = m.package_id
  LEFT JOIN zones ON zones.id = m.zone_id`
