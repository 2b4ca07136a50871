import type { Scope } from '../../../base/caller.ts'
import { readablePanels } from '../access/panels.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'

// Reads one row per zone and panel: each step searches the index on (panel_id, zone_id) for the next zone. DISTINCT would read
// every agent. Nulls are at the end of the index.
const statement = {
  name: 'find-zones-in-use',
  text: `
    WITH RECURSIVE panel AS (SELECT id FROM ${readablePanels} WHERE id = ANY ($2)), used AS (
      SELECT panel.id AS panel_id, first.zone_id FROM panel CROSS JOIN LATERAL (
        SELECT zone_id FROM current_metadata WHERE panel_id = panel.id ORDER BY zone_id LIMIT 1
      ) AS first
      UNION ALL
      SELECT used.panel_id, next.zone_id FROM used CROSS JOIN LATERAL (
        SELECT zone_id FROM current_metadata
        WHERE panel_id = used.panel_id AND zone_id > used.zone_id ORDER BY zone_id LIMIT 1
      ) AS next
    )
    SELECT DISTINCT zone_id AS id FROM used WHERE zone_id IS NOT NULL
    UNION ALL
    SELECT 0 WHERE EXISTS (
      SELECT FROM panel WHERE EXISTS (
        SELECT FROM current_metadata WHERE panel_id = panel.id AND zone_id IS NULL
      )
    )`,
}

/** Returns the ids of the time zones that agents of these panels have now; 0 stands for agents without a zone. */
export async function findZonesInUse(scope: Scope, postgres: Postgres, panels: readonly number[]): Promise<number[]> {
  const rows = await readAsTenant(scope, postgres, (client) =>
    findRows<{ id: number }>(client, statement, [scope.organisationId, panels]),
  )
  return rows.map(({ id }) => id)
}
