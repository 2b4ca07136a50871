import type { ClickHouseSettings } from '@clickhouse/client'
import type { QueryOrigin } from '../../../base/audit.ts'
import type { Scope } from '../../../base/caller.ts'

export type AwaitedOrigin = QueryOrigin & {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** Tells an operator who looks at a running query on whose behalf it runs, and the engine which panels it may show. */
export const logComment = ({ organisationId }: Scope, { endpoint, requestId, traceId, panels }: QueryOrigin): string =>
  JSON.stringify({
    organisation: organisationId,
    endpoint,
    request_id: requestId,
    ...(typeof traceId === 'string' ? { trace_id: traceId } : {}),
    panels,
  })

/** What a read-only user may send with a query. Niceness only where there is any: without the right to it, others still run. */
export const originSettings = (scope: Scope, origin: QueryOrigin): ClickHouseSettings => ({
  log_comment: logComment(scope, origin),
  ...(origin.niceness === undefined || origin.niceness === 0 ? {} : { os_thread_priority: String(origin.niceness) }),
})
