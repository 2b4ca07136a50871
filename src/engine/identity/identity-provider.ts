import type { Identity, Whence } from '../../base/person.ts'

/**
 * Ways for people to prove who they are; null when they have not. What follows, the session with its cookie and its token,
 * is the same for all of them, and knows only whom it is about.
 */
export type IdentityProviders = {
  readonly password: PasswordProvider
  readonly redirects: readonly RedirectProvider[]
}

export type PasswordProvider = (credentials: Credentials, whence: Whence) => Promise<Identity | null>

type Credentials = {
  readonly name: string
  readonly password: string
  /** The device cookie the browser sent, if any. */
  readonly device: string | null
}

/** Somewhere else: people are sent there, and come back with a proof. */
export type RedirectProvider = {
  readonly key: string
  /** For people: "Sign in with …". */
  readonly title: string
  /** Where to send the browser, and what it is to remember until it is back: letters, digits, `-`, `_` and `.`. */
  readonly begin: (returnUrl: string) => Promise<{ readonly location: string; readonly memory: string }>
  /** With the address the browser came back to. */
  readonly complete: (arrived: URL, memory: string) => Promise<Identity | null>
}
