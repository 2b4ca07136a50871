import type { ClientBase } from 'pg'
import type { QueryCost } from '../../../base/audit.ts'
import type { Scope } from '../../../base/caller.ts'
import { exportLimits } from '../../../base/limits.ts'
import type { ExportFormat } from '../../../catalog/export-formats.ts'
import { changeAsTenant } from '../as-tenant.ts'
import type { ExportSource } from './exports.ts'
import { addAuditRecords } from '../audit/audit-records.ts'
import { findRows, type NamedStatement, type Postgres } from '../postgres.ts'

/** An export that this worker may write until its lease ends. */
export type ExportJob = Scope & {
  readonly id: string
  readonly attempt: number
  readonly failures: number
  readonly source: ExportSource
  readonly format: ExportFormat['key']
  readonly request: unknown
  readonly requestId: string
  readonly auditKey: string | null
  readonly traceparent: string | null
  readonly createdAt: Temporal.Instant
  readonly storedBefore: Temporal.Instant
}

type Row = {
  id: string
  organisation_id: number
  attempt: number
  failures: number
  source: ExportSource
  format: ExportFormat['key']
  request: string
  request_id: string
  audit_key: string | null
  traceparent: string | null
  created_at: Date
  stored_before: Date
}

/**
 * SQL condition: this worker still holds the latest attempt of the export. If the condition is false, the worker must
 * not change the export.
 */
const held = `organisation_id = $1 AND id = $2 AND attempt = $3 AND status = 'running'`

const statements = {
  claim: {
    name: 'claim-export',
    text: `SELECT id, organisation_id, attempt, failures, source, format, request, request_id, created_at, stored_before,
             audit_key, traceparent
           FROM claim_export($1::interval, $2, $3)`,
  },
  beat: {
    name: 'beat-export',
    text: `UPDATE exports SET leased_until = now() + $4::interval, progress = greatest(progress, $5)
           WHERE ${held} RETURNING id`,
  },
  complete: {
    name: 'complete-export',
    text: `UPDATE exports SET status = 'complete', leased_until = NULL, progress = 1, rows = $4, bytes = $5,
             finished_at = now(), expires_at = now() + $6::interval
           WHERE ${held} RETURNING id`,
  },
  isComplete: {
    name: 'is-complete-export',
    text: `SELECT id FROM exports WHERE organisation_id = $1 AND id = $2 AND attempt = $3 AND status = 'complete'`,
  },
  retry: {
    name: 'retry-export',
    text: `UPDATE exports SET status = 'queued', leased_until = NULL, failures = failures + $4,
             not_before = now() + $5::interval
           WHERE ${held} RETURNING id`,
  },
  fail: {
    name: 'fail-export',
    text: `UPDATE exports SET status = 'failed', leased_until = NULL, failures = failures + 1, failure = $4,
             finished_at = now()
           WHERE ${held} RETURNING id`,
  },
}

/** Claims the next export to write. Returns null if there is none. */
export async function claimExport({ pool }: Postgres, perOrganisationMax: number): Promise<ExportJob | null> {
  const values = [lease, perOrganisationMax, exportLimits.failuresMax]
  const [row] = await findRows<Row>(pool, statements.claim, values)
  if (row === undefined) return null
  const { id, organisation_id: organisationId, attempt, failures, source, format, request_id: requestId } = row
  const [createdAt, storedBefore] = [instantOf(row.created_at), instantOf(row.stored_before)]
  const request: unknown = JSON.parse(row.request)
  const { audit_key: auditKey, traceparent } = row
  const known = { requestId, auditKey, traceparent }
  return { id, organisationId, attempt, failures, source, format, request, ...known, createdAt, storedBefore }
}

/** Renews the lease. Returns false if another worker has taken over the export, or if it was cancelled. */
export const beatExport = (postgres: Postgres, job: ExportJob, progress: number): Promise<boolean> =>
  change(postgres, job, statements.beat, [lease, progress])

/**
 * Marks an export as complete, and writes its cost to the audit trail in the same transaction. Idempotent: the worker repeats
 * the call if it gets no response.
 */
export const completeExport = (
  postgres: Postgres,
  job: ExportJob,
  { rows, bytes, engineMs, days }: QueryCost & { days: number },
): Promise<boolean> =>
  changeAsTenant(job, postgres, async (client) => {
    const isOurs = await changeIn(client, job, statements.complete, [rows, bytes, `${days} days`])
    if (isOurs && job.auditKey !== null)
      await addAuditRecords(client, [{ ...JSON.parse(job.auditKey), rows, bytes, engine_ms: engineMs }])
    return (
      isOurs || (await findRows(client, statements.isComplete, [job.organisationId, job.id, job.attempt])).length > 0
    )
  })

/**
 * Returns an export to the queue. After a failure, workers wait for `pauseMs` before the next attempt; if `pauseMs` is null,
 * any worker can claim the export at once.
 */
export const retryExport = (postgres: Postgres, job: ExportJob, pauseMs: number | null): Promise<boolean> =>
  change(postgres, job, statements.retry, [pauseMs === null ? 0 : 1, `${pauseMs ?? 0} milliseconds`])

export const failExport = (postgres: Postgres, job: ExportJob, failure: string): Promise<boolean> =>
  change(postgres, job, statements.fail, [failure])

const lease = `${exportLimits.leaseMs} milliseconds`

const instantOf = (date: Date): Temporal.Instant => Temporal.Instant.fromEpochMilliseconds(date.getTime())

const change = (postgres: Postgres, job: ExportJob, named: NamedStatement, values: unknown[]): Promise<boolean> =>
  changeAsTenant(job, postgres, (client) => changeIn(client, job, named, values))

const changeIn = async (
  client: ClientBase,
  { organisationId, id, attempt }: ExportJob,
  named: NamedStatement,
  values: unknown[],
): Promise<boolean> => (await findRows(client, named, [organisationId, id, attempt, ...values])).length > 0
