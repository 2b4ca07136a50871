import type { Scope } from '../../../base/caller.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'

/**
 * SQL for the panels that the organisation `$1` owns or subscribes to. Statements contain the organisation although row-level
 * security restricts them too. This is defence in depth, and tests check each layer alone.
 */
export const readablePanels = `(
      SELECT id, key, name, owner_id = $1 AS owned FROM panels
      WHERE owner_id = $1 OR id IN (SELECT panel_id FROM panel_subscriptions WHERE organisation_id = $1)
    ) AS readable`

const statement = {
  name: 'find-panels',
  text: `SELECT key, name, owned FROM ${readablePanels} ORDER BY key`,
}

export type Panel = { key: string; name: string; owned: boolean }

/** The panels that an organisation can read: those that it owns and those that it subscribes to. */
export const findPanels = (scope: Scope, postgres: Postgres): Promise<Panel[]> =>
  readAsTenant(scope, postgres, (client) => findRows<Panel>(client, statement, [scope.organisationId]))

const findOwnedPanelsStatement = {
  name: 'find-owned-panels',
  text: 'SELECT id FROM panels WHERE owner_id = $1 ORDER BY id',
}

/** Returns the panel numbers (internal ids) of the panels that the organisation owns. Only these may it change. */
export async function findOwnedPanels(scope: Scope, postgres: Postgres): Promise<number[]> {
  const rows = await readAsTenant(scope, postgres, (client) =>
    findRows<{ id: number }>(client, findOwnedPanelsStatement, [scope.organisationId]),
  )
  return rows.map(({ id }) => id)
}
