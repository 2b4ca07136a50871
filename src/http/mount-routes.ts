import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { QueryQueues, RequestShares } from '../base/fair-limits.ts'
import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import { inSpan } from '../engine/tracing.ts'
import { analyticsQuery, type QueryKeepers } from './analytics-query.ts'
import { send } from './answer.ts'
import { comeThrough } from './come-through.ts'
import type { Doorway } from './doorway.ts'
import { pathBelow, type BaseUrl } from './base-url.ts'
import { isCounted, type InterfaceName, type PublicRoute, type Route, type RouteContext } from './define-route.ts'
import { towardsFirstByte, withinFirstByteDeadline } from './first-byte-deadline.ts'
import { holdRefusal } from './hold-refusal.ts'
import { normalHost } from './host-constraint.ts'
import { confirm, identify, type RouteParts } from './identify.ts'
import { onceDurable } from './once-durable.ts'
import { refuseOtherMethods, type Place } from './refuse-other-methods.ts'
import { sendStream } from './send-stream.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    interface?: string
  }
  interface FastifyRequest {
    /** Says that its work has begun, or that it waits where others bound how many do. */
    through: () => void
  }
}

export type MountOptions = {
  routes: readonly (Route | PublicRoute)[]
  bases: Readonly<Partial<Record<InterfaceName, BaseUrl>>>
  context: RouteContext
  onTokenUse: (tokenId: number) => void
  requestShares: RequestShares
  queryQueues: QueryQueues
  queryKeepers: QueryKeepers
  doorway: Doorway
  observe: Observe
}

/** Registers the routes of every interface that has a base here, and a 405 for every other method on their paths. */
export function mountRoutes(app: FastifyInstance, options: MountOptions): void {
  const mounted = options.routes.flatMap((route) => {
    const base = options.bases[route.interface]
    return base === undefined ? [] : [{ route, place: placeOf(base, route.path) }]
  })
  for (const { route, place } of mounted) mountRoute(app, route, place, options)
  for (const together of Map.groupBy(mounted, ({ place }) => JSON.stringify(place)).values()) {
    const methods = together.map(({ route }) => route.method)
    const [first] = together
    if (first !== undefined) refuseOtherMethods(app, first.place, methods)
  }
}

function placeOf(base: BaseUrl, path: string): Place {
  return {
    url: pathBelow(base, path),
    ...(base.host === null ? {} : { constraints: { host: normalHost(base.host) } }),
  }
}

function mountRoute(app: FastifyInstance, route: Route | PublicRoute, place: Place, options: MountOptions): void {
  const { context, queryKeepers, observe } = options
  const deadlineMs = route.interface === 'ingest' ? limits.deliveryTimeoutMs : limits.firstByteTimeoutMs
  app.route<RouteParts>({
    ...place,
    method: route.method,
    config: { interface: route.interface },
    // Before the body is read: a stranger may not make us parse a megabyte.
    onRequest: (request, reply) =>
      inSpan(request.span, () => towardsFirstByte(reply.raw, () => letIn(request, reply, route, options))),
    handler: (request, reply) =>
      inSpan(request.span, async () => {
        const { body, query, params, headers, span, through, id: requestId } = request
        const said = { body, query, params, headers }
        if (route.scope === null) return send(reply, 200, route.handle())
        const endpoint = `${route.method} ${route.path}`
        const asked = { endpoint, requestId, traceId: span?.traceId ?? null, body }
        const confirmed = () => confirm(request, route, context.stores)
        const answer = await withinFirstByteDeadline(reply.raw, deadlineMs, async (signal, leftMs) => {
          const { caller, metadata } = await confirmed()
          const analytics = analyticsQuery(queryKeepers, caller, asked, reply, signal, through)
          const { begin: beginQuery } = analytics
          const given = { ...said, metadata, requestId, beginQuery, through, signal, leftMs, confirmed }
          const found = await route.handle(context, caller, given)
          if (!('rows' in found)) analytics.leave()
          return onceDurable(found, analytics.durable, signal)
        })
        if ('rows' in answer) return sendStream(observe, request, reply.headers(answer.headers ?? {}), answer)
        return 'envelope' in answer
          ? send(reply.headers(answer.headers), 200, answer.envelope)
          : send(reply, 200, answer)
      }),
  })
}

/** Finds out who asks, and takes the request out of their share. */
async function letIn(
  request: FastifyRequest<RouteParts>,
  reply: FastifyReply,
  route: Route | PublicRoute,
  { context, onTokenUse, requestShares, queryQueues, doorway }: MountOptions,
): Promise<void> {
  if (route.scope === null) return
  const { isQuery = false } = route
  const takesShare = isCounted(route)
  const { authorization = '' } = request.headers
  const arrival = takesShare ? await comeThrough(doorway, isQuery, authorization, request, reply) : null
  const turnedAway =
    (takesShare ? requestShares.findEmptied(authorization) : null) ??
    (isQuery ? queryQueues.findCrowded(authorization) : null)
  if (turnedAway !== null) {
    request.caller = turnedAway.caller
    // It stands in nobody's way while it is held.
    request.through()
    if (turnedAway.isPressing) await holdRefusal()
    throw turnedAway.refusal
  }
  const { caller } = await identify(request, route, context.stores)
  onTokenUse(caller.tokenId)
  if (isQuery) queryQueues.refuseCrowded(caller, authorization)
  if (takesShare) reply.headers(await requestShares.take(caller, authorization))
  // After its share: whoever is refused again and again uses it up, and is then refused without asking a store.
  arrival?.belongTo(caller)
  // From here on it is the sender's time.
  request.letInAt = performance.now()
}
