import type { ClientBase } from 'pg'
import type { Scope } from '../../../base/caller.ts'
import type { Warning } from '../../../base/warning.ts'
import type { ExportFormat } from '../../../catalog/export-formats.ts'
import { changeAsTenant, readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres, runNamed } from '../postgres.ts'

/** The endpoint whose data is exported. */
export type ExportSource = 'metric_data' | 'test_data'

/** An export to create. Every attempt to write it must give the same rows. */
export type NewExport = {
  readonly id: string
  readonly source: ExportSource
  readonly format: ExportFormat['key']
  /** The request body, as the JSON endpoint accepts it. It is deleted when the export is finished. */
  readonly request: unknown
  readonly fileName: string
  readonly requestId: string
  /** Key of the audit record, and the trace of the request; null if there is none. */
  readonly auditKey: string | null
  readonly traceparent: string | null
  /** Warnings about the request, which the caller sees. */
  readonly warnings: readonly Warning[]
  readonly createdAt: Temporal.Instant
  readonly storedBefore: Temporal.Instant
  readonly expiresAt: Temporal.Instant
}

/** An export, as the API shows it to the organisation that owns it. */
export type Export = {
  readonly id: string
  readonly format: ExportFormat['key']
  readonly status: 'queued' | 'running' | 'complete' | 'failed'
  readonly attempt: number
  readonly progress: number
  readonly rows: number | null
  readonly bytes: number | null
  readonly failure: string | null
  readonly warnings: readonly Warning[]
  readonly file_name: string
  readonly expires_at: Date
}

const statements = {
  create: {
    name: 'create-export',
    text: `INSERT INTO exports (organisation_id, id, source, format, request, file_name, request_id, created_at,
             stored_before, expires_at, audit_key, traceparent, summary, warnings)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
  },
  countUnfinished: {
    name: 'count-unfinished-exports',
    text: `SELECT count(*)::integer AS count FROM exports WHERE organisation_id = $1 AND status IN ('queued', 'running')`,
  },
  read: {
    name: 'read-export',
    text: `SELECT id, format, status, attempt, progress, rows::float8 AS rows, bytes::float8 AS bytes, failure, file_name,
             expires_at, warnings
           FROM exports WHERE organisation_id = $1 AND id = $2 AND status <> 'cancelled'
             AND (status IN ('queued', 'running') OR expires_at > now())`,
  },
  cancel: {
    name: 'cancel-export',
    text: `UPDATE exports SET status = 'cancelled', leased_until = NULL, finished_at = now()
           WHERE organisation_id = $1 AND id = $2 AND status <> 'cancelled'
             AND (status IN ('queued', 'running') OR expires_at > now())
           RETURNING id`,
  },
}

/** Fields of a request that lists of exports show. They are short and contain no filter values. */
const summaryFields: Record<ExportSource, readonly string[]> = {
  metric_data: ['metric', 'chartType', 'aggregation', 'splits', 'time'],
  test_data: ['test', 'date'],
}

const summaryOf = (source: ExportSource, request: unknown): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(request ?? {}).filter(([field]) => summaryFields[source].includes(field))),
  )

/**
 * Creates an export in the caller's transaction. The same transaction stores the outcome for the Idempotency-Key, so the
 * export and the outcome exist either together or not at all. Returns false if the organisation already has `unfinishedMax`
 * unfinished exports.
 */
export async function createExport(
  scope: Scope,
  client: ClientBase,
  created: NewExport,
  unfinishedMax: number,
): Promise<boolean> {
  const { id, source, format, request, fileName, requestId, createdAt, storedBefore, expiresAt } = created
  const { auditKey, traceparent, warnings } = created
  const times = [createdAt, storedBefore, expiresAt].map(String)
  const asked = [scope.organisationId, id, source, format, JSON.stringify(request), fileName, requestId]
  // Concurrent requests do not see each other's exports. So the number of exports can exceed the limit by a few, but it cannot
  // grow without bound.
  const [found] = await findRows<{ count: number }>(client, statements.countUnfinished, [scope.organisationId])
  if ((found?.count ?? 0) >= unfinishedMax) return false
  const shown = [summaryOf(source, request), JSON.stringify(warnings)]
  await runNamed(client, statements.create, [...asked, ...times, auditKey, traceparent, ...shown])
  return true
}

/** Returns null if the export does not exist, has expired, or belongs to another organisation. */
export async function readExport(scope: Scope, postgres: Postgres, id: string): Promise<Export | null> {
  const values = [scope.organisationId, id]
  const rows = await readAsTenant(scope, postgres, (client) => findRows<Export>(client, statements.read, values))
  return rows[0] ?? null
}

/** Cancels an export in any state. Returns false if the export does not exist. */
export async function cancelExport(scope: Scope, postgres: Postgres, id: string): Promise<boolean> {
  const values = [scope.organisationId, id]
  const rows = await changeAsTenant(scope, postgres, (client) => findRows(client, statements.cancel, values))
  return rows.length > 0
}

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
  /** The fields of the request that a list of exports shows, as JSON. */
  readonly summary: string
  readonly created_at: Date
}

/** The exports of the organisation that have not expired, the newest first. */
export const findExports = (scope: Scope, postgres: Postgres, rowsMax: number): Promise<ListedExport[]> =>
  readAsTenant(scope, postgres, (client) => findRows<ListedExport>(client, statement, [scope.organisationId, rowsMax]))

const countExportsStatement = {
  name: 'count-exports',
  text: 'SELECT status, exports::float8 AS exports FROM count_exports()',
}

/** Counts the queued and the running exports of all organisations, for metrics. */
export async function countExports({ pool }: Postgres): Promise<Record<'queued' | 'running', number>> {
  const rows = await findRows<{ status: string; exports: number }>(pool, countExportsStatement, [])
  const countOf = (status: string) => rows.find((row) => row.status === status)?.exports ?? 0
  return { queued: countOf('queued'), running: countOf('running') }
}

/** An attempt whose object must not be deleted, because the export is running or complete. */
export type KeptExport = { readonly id: string; readonly attempt: number; readonly running: boolean }

const keptExportsStatement = {
  name: 'find-kept-exports',
  text: 'SELECT id, attempt, running FROM find_kept_exports($1)',
}

export const findKeptExports = ({ pool }: Postgres, ids: readonly string[]): Promise<KeptExport[]> =>
  findRows(pool, keptExportsStatement, [ids])
