import type { Clock } from '../../base/clock.ts'
import type { Person, Whence } from '../../base/person.ts'
import type { IdentityProviders } from '../../engine/identity/identity-provider.ts'
import type { SessionLimits } from '../../engine/postgres/people/sessions.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import type { Envelope } from '../../envelope/envelope.ts'

export type SessionContext = {
  readonly postgres: Postgres
  readonly now: Clock
  readonly sessionLimits: SessionLimits
  readonly providers: IdentityProviders
}

type SessionRequest = {
  readonly body: unknown
  readonly query: Readonly<Record<string, unknown>>
  readonly params: Readonly<Record<string, string>>
  readonly whence: Whence
  /** The device cookie the browser sent, if any. */
  readonly device: string | null
  /** Marks the browser as a known device of the person with this password hash. */
  readonly keepDevice: (passwordHash: string) => void
  /** Sets the cookie to a secret, or takes it away. */
  readonly keepSecret: (secret: string | null) => void
}

/** A route of the console's own interface that a cookie opens. */
export type SessionRoute = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly who: 'person' | 'administrator'
  readonly handle: (
    context: SessionContext,
    person: Person,
    request: SessionRequest & { readonly secret: string },
  ) => Promise<Envelope>
}

/** One that anybody may call, to become somebody. */
export type OpenRoute = Omit<SessionRoute, 'who' | 'handle'> & {
  readonly who: 'anybody'
  /** With the hash of the secret the browser has from before, if any. */
  readonly handle: (
    context: SessionContext,
    request: SessionRequest & { readonly formerHash: Buffer | null },
  ) => Promise<Envelope>
}

export const defineSessionRoute = (
  method: SessionRoute['method'],
  path: string,
  who: SessionRoute['who'],
  handle: SessionRoute['handle'],
): SessionRoute => ({ method, path, who, handle })

export const defineOpenRoute = (
  method: SessionRoute['method'],
  path: string,
  handle: OpenRoute['handle'],
): OpenRoute => ({ method, path, who: 'anybody', handle })
