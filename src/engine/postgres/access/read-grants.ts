import type { Scope } from '../../../base/caller.ts'
import type { AgentKind } from '../../../catalog/agent-kinds.ts'
import type { Entitlement, Grants, Panel, PanelField } from '../../../catalog/grants.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'
import { readablePanels } from './panels.ts'

const statement = {
  name: 'read-grants',
  text: `
    WITH readable AS (SELECT id, key, owned FROM ${readablePanels})
    SELECT
      (SELECT coalesce(json_agg(readable ORDER BY id), '[]') FROM readable) AS panels,
      (SELECT coalesce(json_agg(json_build_object('panel', panel_id, 'key', f.key, 'field', f.id)
                                ORDER BY f.key COLLATE "C", panel_id), '[]')
       FROM panel_custom_fields JOIN custom_fields f ON f.id = field_id
       WHERE panel_id IN (SELECT id FROM readable)) AS custom_fields,
      ARRAY(SELECT DISTINCT kind FROM panel_kinds WHERE panel_id IN (SELECT id FROM readable) ORDER BY 1) AS kinds,
      ARRAY(SELECT key FROM entitlements WHERE organisation_id = $1 AND subject = 'test' ORDER BY 1) AS tests,
      ARRAY(SELECT key FROM entitlements WHERE organisation_id = $1 AND subject = 'metric' ORDER BY 1) AS metrics,
      ARRAY(SELECT agent_number FROM erasures
            WHERE finished_at IS NULL AND panel_id IN (SELECT id FROM readable) ORDER BY 1) AS erased`,
}

type Row = {
  panels: Panel[]
  custom_fields: PanelField[]
  kinds: AgentKind[]
  tests: string[]
  metrics: string[]
  erased: number[]
}

/** Reads what the caller's organisation may read: its panels, the kinds of agent on them, and its entitlements. */
export async function readGrants(scope: Scope, postgres: Postgres): Promise<Grants> {
  const rows = await readAsTenant(scope, postgres, (client) => findRows<Row>(client, statement, [scope.organisationId]))
  const [row] = rows
  if (row === undefined) throw new Error('a SELECT without FROM gave no row')
  return {
    panels: row.panels,
    kinds: row.kinds,
    tests: entitlement(row.tests),
    metrics: entitlement(row.metrics),
    customFields: row.custom_fields,
    erased: row.erased,
  }
}

const entitlement = (keys: string[]): Entitlement => (keys.includes('*') ? 'all' : keys)
