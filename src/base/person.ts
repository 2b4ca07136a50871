import type { Scope } from './caller.ts'

export const roles = ['administrator', 'analyst', 'viewer'] as const
export type Role = (typeof roles)[number]

/** A signed-in user, for the lifetime of the session. A user can read what the organisation can read. */
export type Person = Scope & {
  readonly organisationKey: string
  readonly organisationName: string
  readonly userId: number
  readonly userName: string
  readonly role: Role
  readonly sessionId: number
  readonly sessionExpiresAt: Date
}

/**
 * A user who has proved their identity. `provenHash` is the stored hash of the password that the user entered; null if the
 * user signed in without a password.
 */
export type Identity = { readonly userId: number; readonly provenHash: string | null }

/**
 * How a user can sign in: with a local password, or with the identity provider of the organisation. `provider` is the key of
 * that identity provider.
 */
export type Way = { readonly hasPassword: boolean; readonly provider: string | null }

/** Where a request came from, for the event log of users. */
export type RequestOrigin = { readonly requestId: string; readonly address: string }
