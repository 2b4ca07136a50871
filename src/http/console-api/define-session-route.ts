import type { Clock } from '../../base/clock.ts'
import type { Person, RequestOrigin } from '../../base/person.ts'
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
  readonly origin: RequestOrigin
  /** The value of the device cookie, or null if the browser sent none. */
  readonly device: string | null
  /** Sets the device cookie: the browser becomes a known device of the person with this password hash. */
  readonly keepDevice: (passwordHash: string) => void
  /** Sets the session cookie, or deletes it if `secret` is null. */
  readonly keepSecret: (secret: string | null) => void
}

/** A route of the console API that requires a session cookie. */
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

/** A route without authentication, for signing in. */
export type OpenRoute = Omit<SessionRoute, 'who' | 'handle'> & {
  readonly who: 'public'
  /** Handles the request. `formerHash` is the hash of the session secret that the browser sent, or null. */
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
): OpenRoute => ({ method, path, who: 'public', handle })
