import type { Scope } from './caller.ts'

export const roles = ['administrator', 'analyst'] as const
export type Role = (typeof roles)[number]

/** Somebody who has signed in by name, as long as the session lasts. What they see is what their organisation sees. */
export type Person = Scope & {
  readonly organisationKey: string
  readonly organisationName: string
  readonly userId: number
  readonly userName: string
  readonly role: Role
  readonly sessionId: number
  readonly sessionExpiresAt: Date
}

/** Somebody of whom it has been proved who they are, and by what password, if by one. */
export type Identity = { readonly userId: number; readonly provenHash: string | null }

/** By what a person signs in: a password kept here, or the sign-in of their organisation with this key. */
export type Way = { readonly hasPassword: boolean; readonly provider: string | null }

/** Where something was done from, for the record of who did what. */
export type Whence = { readonly requestId: string; readonly address: string }
