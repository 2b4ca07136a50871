import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Scope } from '../base/caller.ts'
import { accessDenied } from '../base/fault.ts'
import { limits } from '../base/limits.ts'
import { hasTokenForm } from '../base/token.ts'
import { authenticate as findCaller } from '../engine/postgres/access/authenticate.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import type { Stores } from '../engine/stores.ts'
import type { InterfaceName, Route } from './define-route.ts'
import type { RequestSlot } from '../base/quotas.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Value of `performance.now()` when the service began to read the body. */
    admittedAt: number
  }
}

export type RouteParts = { Querystring: Record<string, unknown>; Params: Record<string, string> }

type Asked = FastifyRequest<RouteParts>

/** Authenticates the caller and sets `request.caller`. */
export async function identify(request: Asked, route: Route, { postgres }: Pick<Stores, 'postgres'>): Promise<Caller> {
  const { interface: interfaceName, scope } = route
  const caller = await authenticate(postgres, request.headers.authorization, interfaceName)
  Object.assign(request, { caller, admittedAt: performance.now() })
  // Check the scope after setting the caller, so that the refusal counts as a call of the caller's organisation.
  if (!caller.tokenScopes.includes(scope)) throw accessDenied(`the token lacks the scope ${scope}`)
  return caller
}

/** Authenticates again if the body took long to arrive: the token may have been revoked meanwhile. */
export async function confirm(request: Asked, route: Route, stores: Pick<Stores, 'postgres'>): Promise<Caller> {
  const { caller, admittedAt } = request
  if (caller === null) throw new Error('a route with a scope ran without a caller')
  return tookLong(admittedAt) ? identify(request, route, stores) : caller
}

export const tookLong = (admittedAt: number): boolean => performance.now() - admittedAt > limits.identityMsMax

/** Returns the caller of a valid token. Every invalid token gets the same 403; the reason is written only to the log. */
async function authenticate(
  postgres: Postgres,
  header: string | undefined,
  interfaceName: InterfaceName,
): Promise<Caller> {
  const token = bearerToken(header, interfaceName)
  if (token === null) throw accessDenied('no token in a form this interface takes')
  if (!hasTokenForm(token)) throw accessDenied('the token is mistyped: its checksum does not fit')
  const caller = await findCaller(postgres, token)
  if (caller === null) throw accessDenied('the token is unknown, expired or revoked')
  return caller
}

/**
 * Returns the token of an `Authorization` header, or null if the interface does not accept the header's form. The data
 * interface accepts a bare token and `Bearer`. The other interfaces accept only `Bearer`.
 */
function bearerToken(header: string | undefined, interfaceName: InterfaceName): string | null {
  if (header === undefined) return null
  const bearer = /^bearer +([^ ]+)$/i.exec(header.trim())
  if (bearer?.[1] !== undefined) return bearer[1]
  const bare = /^[^ ]+$/.exec(header.trim())
  return interfaceName === 'data' && bare ? bare[0] : null
}

/**
 * Releases the request slot when the response is sent or the caller has left, unless `request.releaseSlot` releases it earlier.
 */
export function holdSlot<Owner extends Scope>(
  slot: RequestSlot<Owner>,
  request: FastifyRequest,
  { raw }: FastifyReply,
): RequestSlot<Owner> {
  request.releaseSlot = slot.release
  raw.once('close', slot.release)
  return slot
}
