import { limits } from '../../base/limits.ts'
import { findRows, type Postgres } from './postgres.ts'

// Looks for the schema too, and for a role that row-level security does not bind: neither may serve.
const statement = {
  name: 'ping',
  text: `
    SELECT (rolsuper OR rolbypassrls OR pg_has_role('broadgauge_operator', 'USAGE')) AS unbound,
      to_regclass('audit_records') IS NULL AS unmigrated
    FROM pg_roles WHERE rolname = current_user`,
}

/** A query, not a connection: a stopped server still accepts those. */
export async function pingPostgres({ pool }: Postgres): Promise<void> {
  const [row] = await findRows<{ unbound: boolean; unmigrated: boolean }>(
    pool,
    statement,
    [],
    limits.readinessTimeoutMs,
  )
  if (row?.unbound) throw new Error('the service must not run as a role that row-level security does not bind')
  if (row?.unmigrated) throw new Error('the schema is not there yet: run broadgauge migrate')
}
