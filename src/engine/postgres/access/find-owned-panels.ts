import type { Scope } from '../../../base/caller.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'

const statement = { name: 'find-owned-panels', text: 'SELECT id FROM panels WHERE owner_id = $1 ORDER BY id' }

/** Numbers of the panels the organisation may write to. */
export async function findOwnedPanels(scope: Scope, postgres: Postgres): Promise<number[]> {
  const rows = await readAsTenant(scope, postgres, (client) =>
    findRows<{ id: number }>(client, statement, [scope.organisationId]),
  )
  return rows.map(({ id }) => id)
}
