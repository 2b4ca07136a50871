import type { FastifyRequest } from 'fastify'
import type { Caller } from '../base/caller.ts'
import { accessDenied } from '../base/fault.ts'
import { limits } from '../base/limits.ts'
import type { Stores } from '../engine/stores.ts'
import { authenticate } from './authenticate.ts'
import type { Route } from './define-route.ts'

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
