/** What a token may do. A token without the scope of an endpoint is answered exactly like no token at all. */
export const tokenScopes = ['data:read', 'metadata:read', 'metadata:write', 'ingest:write'] as const
export type TokenScope = (typeof tokenScopes)[number]

/**
 * The tenant on whose behalf something is read or written. Every path to data takes it as its first argument; it can
 * only be made by authentication or, for an operator's command, by naming the organisation.
 */
export type Scope = { readonly organisationId: number }

/** Who is asking: the tenant, and the token it came with. */
export type Caller = Scope & {
  readonly organisationKey: string
  readonly tokenId: number
  readonly tokenScopes: readonly TokenScope[]
}
