import type { Scope } from '../../../base/caller.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'
import { readablePanels } from './readable-panels.ts'

const statement = {
  name: 'find-panels',
  text: `SELECT key, name, owned FROM ${readablePanels} ORDER BY key`,
}

export type Panel = { key: string; name: string; owned: boolean }

/** The panels an organisation can read, those it owns and those it is subscribed to. */
export const findPanels = (scope: Scope, postgres: Postgres): Promise<Panel[]> =>
  readAsTenant(scope, postgres, (client) => findRows<Panel>(client, statement, [scope.organisationId]))
