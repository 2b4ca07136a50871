import type { QueryOrigin } from '../../base/audit.ts'
import type { Scope } from '../../base/caller.ts'
import { Fault } from '../../base/fault.ts'

export type AwaitedOrigin = QueryOrigin & {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** Tells an operator who looks at a running query on whose behalf it runs, and the engine which panels it may show. */
export const logComment = ({ organisationId }: Scope, { endpoint, requestId, panels }: QueryOrigin): string =>
  JSON.stringify({ organisation: organisationId, endpoint, request_id: requestId, panels })

/** Nobody reads it; it ends the request, and the log says why. */
export const callerLeft = (): Fault => new Fault('BAD_REQUEST', { detail: 'the caller hung up' })
