import { randomUUID } from 'node:crypto'
import type { Scope } from '../base/caller.ts'
import type { Clock } from '../base/clock.ts'
import type { Present } from '../base/count-by-organisation.ts'
import { type Fault, tooManyRequests } from '../base/fault.ts'
import { limits } from '../base/limits.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { FieldFaults } from '../check/field-faults.ts'
import type { IdempotencyKey } from '../check/idempotency-key.ts'
import { checkExportFormat } from '../check/metric/test-data-request.ts'
import { traceHeaders } from '../engine/tracing.ts'
import { readStoredBefore } from '../engine/clickhouse/exports/write-export.ts'
import { changeAsTenant } from '../engine/postgres/as-tenant.ts'
import { createExport, type ExportSource } from '../engine/postgres/exports/exports.ts'
import { once, type Outcome } from '../engine/postgres/metadata/idempotency.ts'
import type { Stores } from '../engine/stores.ts'
import { resultsFromHeader } from '../envelope/results-from.ts'
import { shownWarnings } from '../envelope/warnings.ts'
import { findWarnings } from './find-warnings.ts'
import { type ExportPlan, planExport } from './plan-export.ts'

export type ExportContext = {
  readonly catalog: Catalog
  readonly stores: Stores
  readonly now: Clock
  readonly exports: {
    /** Number of days for which the service keeps a finished export. */
    readonly days: number
    /** Maximum number of queued and running exports of one organisation. */
    readonly unfinishedMax: number
    /** Counts the requests of each organisation that wait for their file. */
    readonly waiting: Present
    /** Wakes the export worker. */
    readonly onCreate: () => void
  }
}

export type RequestedExport = {
  readonly source: ExportSource
  readonly body: unknown
  readonly key: IdempotencyKey | null
  readonly requestId: string
  /** Called before any results are read, so that the audit trail records the request first. */
  readonly onPlan: (plan: ExportPlan) => Promise<{ readonly auditKey?: string }>
}

/**
 * Queues an export and returns an outcome that contains its id. An invalid request gets the same error as on the JSON endpoint.
 */
export async function requestExport(
  scope: Scope,
  { catalog, stores, now, exports }: ExportContext,
  { source, body, key, requestId, onPlan }: RequestedExport,
): Promise<Outcome> {
  const { postgres, lookups } = stores
  const createdAt = now()
  const faults = new FieldFaults()
  const { format, request } = checkExportFormat(body, faults)
  const asked = { source, format, request, now: createdAt }
  const plan = await planExport(scope, stores, catalog, asked, faults)
  const { auditKey = null } = await onPlan(plan)
  const { fileName } = plan
  const expiresAt = createdAt.add({ hours: 24 * exports.days })
  const origin = { endpoint: `export of ${source}`, requestId }
  const [storedBefore, warnings] = await Promise.all([
    readStoredBefore(scope, lookups, plan, origin),
    findWarnings(scope, stores, catalog, plan, { ...origin, signal: AbortSignal.timeout(limits.lookupTimeoutMs) }),
  ])
  const id = randomUUID()
  const known = { requestId, auditKey, traceparent: traceHeaders()['traceparent'] ?? null }
  const created = {
    id,
    source,
    format: format.key,
    request,
    fileName,
    ...known,
    warnings: shownWarnings(warnings),
    createdAt,
    storedBefore,
    expiresAt,
  }
  const outcome = await changeAsTenant(scope, postgres, (client) =>
    once(scope, client, key, async () => {
      if (!(await createExport(scope, client, created, exports.unfinishedMax))) throw tooMany(exports.unfinishedMax)
      return { status: 200, body: { id, headers: resultsFromHeader(plan, plan.range, createdAt) } }
    }),
  )
  exports.onCreate()
  return outcome
}

const tooMany = (limit: number): Fault =>
  tooManyRequests({
    what: `exports that are not written yet; an organisation may have ${limit}`,
    advice: ', or cancel some',
    limit,
    retryMs: 60_000,
    detail: 'exports that are not written yet',
  })

export function exportIdIn({ body }: Outcome): string {
  if (typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string') return body.id
  throw new Error('the outcome of a request for an export names none')
}

/** The headers that the first response to this request had. */
export function exportHeadersIn({ body }: Outcome): Record<string, string> {
  const kept = typeof body === 'object' && body !== null && 'headers' in body ? body.headers : null
  const headers = Object.entries(kept ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries(headers)
}
