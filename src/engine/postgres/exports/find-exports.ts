import type { Scope } from '../../../base/caller.ts'
import { readAsTenant } from '../as-tenant.ts'
import type { Export, ExportSource } from './exports.ts'
import { findRows, type Postgres } from '../postgres.ts'

const statement = {
  name: 'find-exports',
  text: `SELECT id, source, format, summary, status, progress, rows::float8 AS rows, bytes::float8 AS bytes, failure, file_name,
      created_at, expires_at
    FROM exports WHERE organisation_id = $1 AND status <> 'cancelled'
      AND (status IN ('queued', 'running') OR expires_at > now())
    ORDER BY created_at DESC, id LIMIT $2`,
}

export type ListedExport = Omit<Export, 'attempt' | 'warnings'> & {
  readonly source: ExportSource
  /** JSON of the fields of its request that say what it is; null where an older version has taken it in. */
  readonly summary: string | null
  readonly created_at: Date
}

/** Exports of the organisation that can still be asked for, the newest first. */
export const findExports = (scope: Scope, postgres: Postgres, rowsMax: number): Promise<ListedExport[]> =>
  readAsTenant(scope, postgres, (client) => findRows<ListedExport>(client, statement, [scope.organisationId, rowsMax]))
