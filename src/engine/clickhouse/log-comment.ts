import type { Scope } from '../../base/caller.ts'

/** What a query is run for. */
export type QueryOrigin = { readonly endpoint: string; readonly requestId: string }

/** Tells an operator who looks at a running query on whose behalf it runs. */
export const logComment = ({ organisationId }: Scope, { endpoint, requestId }: QueryOrigin): string =>
  JSON.stringify({ organisation: organisationId, endpoint, request_id: requestId })
