/**
 * What an API token may do. If an API token lacks the token scope of an endpoint, the response is the same as without a token.
 */
export const tokenScopes = ['data:read', 'metadata:read', 'metadata:write', 'ingest:write', 'questions:write'] as const
export type TokenScope = (typeof tokenScopes)[number]

/**
 * The tenant whose data is read or written; not to be confused with `TokenScope`. Every function that reads or writes a
 * tenant's data takes the scope as its first argument. Only two places create a scope: authentication, and an operator's
 * command that names the organisation.
 */
export type Scope = { readonly organisationId: number }

/** An authenticated caller: the tenant, and the API token that the request was sent with. */
export type Caller = Scope & {
  readonly organisationKey: string
  readonly tokenId: number
  readonly tokenScopes: readonly TokenScope[]
}
