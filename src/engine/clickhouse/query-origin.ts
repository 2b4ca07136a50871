import type { Scope } from '../../base/caller.ts'
import { Fault } from '../../base/fault.ts'

/** What a query is run for. */
export type QueryOrigin = { readonly endpoint: string; readonly requestId: string }

export type AwaitedOrigin = QueryOrigin & {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** Tells an operator who looks at a running query on whose behalf it runs. */
export const logComment = ({ organisationId }: Scope, { endpoint, requestId }: QueryOrigin): string =>
  JSON.stringify({ organisation: organisationId, endpoint, request_id: requestId })

/** Nobody reads it; it ends the request, and the log says why. */
export const callerLeft = (): Fault => new Fault('BAD_REQUEST', { detail: 'the caller hung up' })
