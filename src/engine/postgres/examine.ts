import { findRows, type Postgres } from './postgres.ts'

const statement = {
  name: 'examine',
  text: `
    SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
      (SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()) AS encoding,
      (SELECT datctype FROM pg_database WHERE datname = current_database()) AS locale,
      extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms`,
}

export type PostgresState = { version: string; number: number; encoding: string; locale: string; now_ms: number }

export async function examinePostgres({ pool }: Postgres): Promise<PostgresState> {
  const [row] = await findRows<PostgresState>(pool, statement, [])
  if (row === undefined) throw new Error('a SELECT without FROM gave no row')
  return row
}
