import type { ClickHouseSettings } from '@clickhouse/client'
import type { QueryOrigin } from '../../../base/audit.ts'
import type { Scope } from '../../../base/caller.ts'

export type AwaitedOrigin = QueryOrigin & {
  /** Aborted when the caller has disconnected. */
  readonly signal: AbortSignal
}

/**
 * The log comment of a query. It shows the operator for which organisation and request the query runs, and the row policies in
 * ClickHouse read the panels from it.
 */
export const logComment = ({ organisationId }: Scope, { endpoint, requestId, traceId, panels }: QueryOrigin): string =>
  JSON.stringify({
    organisation: organisationId,
    endpoint,
    request_id: requestId,
    ...(typeof traceId === 'string' ? { trace_id: traceId } : {}),
    panels,
  })

/**
 * Settings that a read-only user may send. The niceness is sent only if it is not 0. So queries without niceness also run if
 * the user may not set the niceness.
 */
export const originSettings = (scope: Scope, origin: QueryOrigin): ClickHouseSettings => ({
  log_comment: logComment(scope, origin),
  ...(origin.niceness === undefined || origin.niceness === 0 ? {} : { os_thread_priority: String(origin.niceness) }),
})
