import { limits } from '../../base/limits.ts'
import { findRows, type Postgres } from './postgres.ts'

/** A query, not a connection: a stopped server still accepts those. */
export async function pingPostgres({ pool }: Postgres): Promise<void> {
  await findRows(pool, { name: 'ping', text: 'SELECT 1' }, [], limits.readinessTimeoutMs)
}
