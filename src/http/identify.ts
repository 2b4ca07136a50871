import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Scope } from '../base/caller.ts'
import { accessDenied } from '../base/fault.ts'
import { limits } from '../base/limits.ts'
import { hasTokenForm } from '../base/token.ts'
import { authenticate as findCaller } from '../engine/postgres/access/authenticate.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import type { Stores } from '../engine/stores.ts'
import type { InterfaceName, Route } from './define-route.ts'
import type { RequestSlot } from '../base/fair-limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Since when its body is being read, by the clock of `performance`. */
    letInAt: number
  }
}

export type RouteParts = { Querystring: Record<string, unknown>; Params: Record<string, string> }

type Asked = FastifyRequest<RouteParts>

/** Finds out who asks, and notes it on the request. */
export async function identify(request: Asked, route: Route, { postgres }: Pick<Stores, 'postgres'>): Promise<Caller> {
  const { interface: interfaceName, scope } = route
  const caller = await authenticate(postgres, request.headers.authorization, interfaceName)
  Object.assign(request, { caller, letInAt: performance.now() })
  // Afterwards: the refusal of a token that is good elsewhere is a call of its organisation, and counted as one.
  if (!caller.tokenScopes.includes(scope)) throw accessDenied(`the token lacks the scope ${scope}`)
  return caller
}

/**
 * Who asks, once the body is there: it may have been sent so slowly that its sender's token has been revoked since its first
 * bytes.
 */
export async function confirm(request: Asked, route: Route, stores: Pick<Stores, 'postgres'>): Promise<Caller> {
  const { caller, letInAt } = request
  if (caller === null) throw new Error('a route with a scope ran without a caller')
  return tookLong(letInAt) ? identify(request, route, stores) : caller
}

export const tookLong = (letInAt: number): boolean => performance.now() - letInAt > limits.identityMsMax

/** The caller of a valid token. All others get the same 403; the reason goes to the log only. */
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
 * The token in an `Authorization` header, null when there is none in a form the interface takes. The data interface takes
 * a bare token, and `Bearer` as well; the others take `Bearer` only.
 */
function bearerToken(header: string | undefined, interfaceName: InterfaceName): string | null {
  if (header === undefined) return null
  const bearer = /^bearer +([^ ]+)$/i.exec(header.trim())
  if (bearer?.[1] !== undefined) return bearer[1]
  const bare = /^[^ ]+$/.exec(header.trim())
  return interfaceName === 'data' && bare ? bare[0] : null
}

/** Keeps the slot until the request gives it back, at the latest when its answer is sent or its caller has left. */
export function holdSlot<Owner extends Scope>(
  slot: RequestSlot<Owner>,
  request: FastifyRequest,
  { raw }: FastifyReply,
): RequestSlot<Owner> {
  request.releaseSlot = slot.release
  raw.once('close', slot.release)
  return slot
}
