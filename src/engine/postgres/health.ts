import { limits } from '../../base/limits.ts'
import { findRows, type Postgres } from './postgres.ts'

// This statement also checks that the schema exists, and that the role does not bypass row-level security. If one of these
// checks fails, the service must not run.
const statement = {
  name: 'ping',
  text: `
    SELECT (rolsuper OR rolbypassrls OR pg_has_role('broadgauge_operator', 'USAGE')) AS unbound,
      to_regclass('audit_records') IS NULL AS unmigrated
    FROM pg_roles WHERE rolname = current_user`,
}

/** Runs a query, because opening a connection is not enough: a stopped server process still accepts connections. */
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

const examineStatement = {
  name: 'examine',
  text: `
    SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
      (SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()) AS encoding,
      (SELECT datctype FROM pg_database WHERE datname = current_database()) AS locale,
      extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms`,
}

export type PostgresState = { version: string; number: number; encoding: string; locale: string; now_ms: number }

export async function examinePostgres({ pool }: Postgres): Promise<PostgresState> {
  const [row] = await findRows<PostgresState>(pool, examineStatement, [])
  if (row === undefined) throw new Error('a SELECT without FROM gave no row')
  return row
}
