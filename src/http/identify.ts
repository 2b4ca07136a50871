import type { FastifyRequest } from 'fastify'
import { accessDenied } from '../base/fault.ts'
import { limits } from '../base/limits.ts'
import type { Authentication } from '../engine/postgres/authenticate-for-agent.ts'
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
export async function identify(
  request: Asked,
  route: Route,
  { postgres }: Pick<Stores, 'postgres'>,
): Promise<Authentication> {
  const { interface: interfaceName, scope } = route
  const agent = route.agent?.(request.params) ?? null
  const found = await authenticate(postgres, request.headers.authorization, interfaceName, agent)
  const { caller, metadata } = found
  Object.assign(request, { caller, metadata, letInAt: performance.now() })
  // Afterwards: the refusal of a token that is good elsewhere is a call of its organisation, and counted as one.
  if (!caller.tokenScopes.includes(scope)) throw accessDenied(`the token lacks the scope ${scope}`)
  return found
}

/**
 * Who asks, once the body is there: it may have been sent so slowly that its sender's token has been revoked since its first
 * bytes.
 */
export async function confirm(request: Asked, route: Route, stores: Pick<Stores, 'postgres'>): Promise<Authentication> {
  const { caller, metadata, letInAt } = request
  if (caller === null) throw new Error('a route with a scope ran without a caller')
  return tookLong(letInAt) ? identify(request, route, stores) : { caller, metadata }
}

export const tookLong = (letInAt: number): boolean => performance.now() - letInAt > limits.identityMsMax
