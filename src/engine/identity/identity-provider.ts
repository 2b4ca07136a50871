import type { Identity, RequestOrigin } from '../../base/person.ts'

/**
 * The ways in which users can prove their identity. A provider returns null if the proof is missing or invalid. Session,
 * cookie and token are the same for all providers and depend only on the user.
 */
export type IdentityProviders = {
  readonly password: PasswordProvider
  readonly redirects: readonly RedirectProvider[]
}

export type PasswordProvider = (credentials: Credentials, origin: RequestOrigin) => Promise<Identity | null>

type Credentials = {
  readonly name: string
  readonly password: string
  /** The device cookie that the browser sent; null if it sent none. */
  readonly device: string | null
}

/**
 * An external identity provider. The service redirects the browser to it, and the provider redirects the browser back with a
 * proof.
 */
export type RedirectProvider = {
  readonly key: string
  /** Name of the provider in the text "Sign in with …". */
  readonly title: string
  /**
   * Returns the URL to redirect the browser to, and a text that the browser must store until it returns. The text contains only
   * letters, digits, `-`, `_` and `.`.
   */
  readonly begin: (returnUrl: string) => Promise<{ readonly location: string; readonly memory: string }>
  /** `arrived` is the URL that the provider redirected the browser to, and `memory` the text that the browser has stored. */
  readonly complete: (arrived: URL, memory: string) => Promise<Identity | null>
}
