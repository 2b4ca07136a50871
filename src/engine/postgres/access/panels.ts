import type { Scope } from '../../../base/caller.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'

/**
 * The panels that the organisation `$1` owns or is subscribed to. Statements name the organisation although row-level security
 * would limit them too: each of the two is tested alone.
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

/** The panels an organisation can read, those it owns and those it is subscribed to. */
export const findPanels = (scope: Scope, postgres: Postgres): Promise<Panel[]> =>
  readAsTenant(scope, postgres, (client) => findRows<Panel>(client, statement, [scope.organisationId]))

const findOwnedPanelsStatement = {
  name: 'find-owned-panels',
  text: 'SELECT id FROM panels WHERE owner_id = $1 ORDER BY id',
}

/** Numbers of the panels the organisation may write to. */
export async function findOwnedPanels(scope: Scope, postgres: Postgres): Promise<number[]> {
  const rows = await readAsTenant(scope, postgres, (client) =>
    findRows<{ id: number }>(client, findOwnedPanelsStatement, [scope.organisationId]),
  )
  return rows.map(({ id }) => id)
}
