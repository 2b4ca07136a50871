import type { FastifyInstance } from 'fastify'
import type { RequestShares } from '../base/fair-limits.ts'
import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import { analyticsQuery, type QueryKeepers } from './analytics-query.ts'
import { send } from './answer.ts'
import { authenticate } from './authenticate.ts'
import { pathBelow, type BaseUrl } from './base-url.ts'
import type { InterfaceName, PublicRoute, Route, RouteContext } from './define-route.ts'
import { withinFirstByteDeadline } from './first-byte-deadline.ts'
import { normalHost } from './host-constraint.ts'
import { refuseOtherMethods, type Place } from './refuse-other-methods.ts'
import { sendStream } from './send-stream.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    interface?: string
  }
}

export type MountOptions = {
  routes: readonly (Route | PublicRoute)[]
  bases: Readonly<Partial<Record<InterfaceName, BaseUrl>>>
  context: RouteContext
  onTokenUse: (tokenId: number) => void
  requestShares: RequestShares
  queryKeepers: QueryKeepers
  observe: Observe
}

/** Registers the routes of every interface that has a base here, and a 405 for every other method on their paths. */
export function mountRoutes(app: FastifyInstance, options: MountOptions): void {
  const methods = new Map<string, string[]>()
  for (const route of options.routes) {
    const base = options.bases[route.interface]
    if (base === undefined) continue
    const place = placeOf(base, route.path)
    mountRoute(app, route, place, options)
    const key = JSON.stringify(place)
    methods.set(key, [...(methods.get(key) ?? []), route.method])
  }
  for (const [key, present] of methods) refuseOtherMethods(app, JSON.parse(key), present)
}

function placeOf(base: BaseUrl, path: string): Place {
  return {
    url: pathBelow(base, path),
    ...(base.host === null ? {} : { constraints: { host: normalHost(base.host) } }),
  }
}

function mountRoute(
  app: FastifyInstance,
  route: Route | PublicRoute,
  place: Place,
  { context, onTokenUse, requestShares, queryKeepers, observe }: MountOptions,
): void {
  const deadlineMs = route.interface === 'ingest' ? limits.deliveryTimeoutMs : limits.firstByteTimeoutMs
  app.route<{ Querystring: Record<string, unknown>; Params: Record<string, string> }>({
    ...place,
    method: route.method,
    config: { interface: route.interface },
    // Before the body is read: a stranger may not make us parse a megabyte.
    onRequest: async (request, reply) => {
      if (route.scope === null) return
      const { authorization = '' } = request.headers
      // Deliveries are bounded by their own admission, by bytes.
      const isCounted = route.interface !== 'ingest'
      const emptied = isCounted ? requestShares.findEmptied(authorization) : null
      if (emptied !== null) {
        request.caller = emptied.caller
        throw emptied.refusal
      }
      const agent = route.agent?.(request.params) ?? null
      const { postgres } = context.stores
      const found = await authenticate(postgres, authorization, route.interface, route.scope, agent)
      request.caller = found.caller
      request.metadata = found.metadata
      onTokenUse(found.caller.tokenId)
      if (isCounted) reply.headers(await requestShares.take(found.caller, authorization))
    },
    handler: async (request, reply) => {
      const { caller, metadata, body, query, params, headers, id: requestId } = request
      if (route.scope === null) return send(reply, 200, route.handle())
      if (caller === null) throw new Error('a route with a scope ran without a caller')
      const asked = { endpoint: `${route.method} ${route.path}`, requestId, body }
      const answer = await withinFirstByteDeadline(reply.raw, deadlineMs, async (signal) => {
        const { begin: beginQuery, durable } = analyticsQuery(queryKeepers, caller, asked, reply, signal)
        const given = { body, query, params, headers, metadata, requestId, beginQuery, signal }
        return onceDurable(await route.handle(context, caller, given), durable)
      })
      if ('rows' in answer) return sendStream(observe, request, reply, answer)
      return 'envelope' in answer ? send(reply.headers(answer.headers), 200, answer.envelope) : send(reply, 200, answer)
    },
  })
}

/** An answer that is not in the audit trail is not given. */
async function onceDurable<Answer extends Awaited<ReturnType<Route['handle']>>>(
  answer: Answer,
  durable: () => Promise<void>,
): Promise<Answer> {
  try {
    await durable()
    return answer
  } catch (error) {
    if ('rows' in answer) answer.rows.destroy()
    throw error
  }
}
