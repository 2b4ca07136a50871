import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../base/caller.ts'
import type { RateLimit, TakeRequestSlot } from '../base/quotas.ts'
import { limits } from '../base/limits.ts'
import { networkOf } from '../base/network-of.ts'
import type { Observe } from '../base/observe.ts'
import { inSpan } from '../engine/tracing.ts'
import { analyticsQuery, onceAudited, type QueryGuards } from './analytics-query.ts'
import { send, sendContent } from './answer.ts'
import { type BaseUrl, normalHost, pathBelow, type Place, refuseOtherMethods } from './server/routing.ts'
import type { InterfaceName, PublicRoute, Route, RouteContext } from './define-route.ts'
import { towardsFirstByte, withinFirstByteDeadline } from './first-byte-deadline.ts'
import { confirm, holdSlot, identify, type RouteParts } from './identify.ts'
import { sendStream } from './connection/send-stream.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    interface?: string
  }
  interface FastifyRequest {
    /** Releases the request slot. Called when another limit, such as query slots, applies to the request instead. */
    releaseSlot: () => void
  }
}

export type MountOptions = {
  routes: readonly (Route | PublicRoute)[]
  bases: Readonly<Partial<Record<InterfaceName, BaseUrl>>>
  context: RouteContext
  onTokenUse: (tokenId: number) => void
  rateLimit: RateLimit
  queryGuards: QueryGuards
  takeRequestSlot: TakeRequestSlot<Caller>
  observe: Observe
}

/** Registers the routes of every interface in `bases`. Every other method on their paths gets a 405. */
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

export function placeOf(base: BaseUrl, path: string): Place {
  return {
    url: pathBelow(base, path),
    ...(base.host === null ? {} : { constraints: { host: normalHost(base.host) } }),
  }
}

function mountRoute(app: FastifyInstance, route: Route | PublicRoute, place: Place, options: MountOptions): void {
  const { context, queryGuards, observe } = options
  const deadlineMs = route.interface === 'ingest' ? limits.ingestTimeoutMs : limits.firstByteTimeoutMs
  app.route<RouteParts>({
    ...place,
    method: route.method,
    config: { interface: route.interface },
    // Authenticate before Fastify reads the body: an unauthenticated caller must not make the service parse a megabyte.
    onRequest: (request, reply) =>
      inSpan(request.span, () => towardsFirstByte(reply.raw, () => admitRequest(request, reply, route, options))),
    handler: (request, reply) =>
      inSpan(request.span, async () => {
        if (route.scope === null) return send(reply, 200, route.handle())
        const { body, query, params, headers, span, releaseSlot, id: requestId } = request
        const asked = {
          endpoint: `${route.method} ${route.path}`,
          requestId,
          traceId: span?.traceId ?? null,
          body: body ?? { ...params, ...query },
        }
        const confirmCaller = () => confirm(request, route, context.stores)
        const answer = await withinFirstByteDeadline(reply.raw, deadlineMs, async (deadline) => {
          const caller = await confirmCaller()
          const analytics = analyticsQuery(queryGuards, caller, asked, reply, deadline.signal, releaseSlot)
          const admission = { beginQuery: analytics.begin, releaseSlot, confirmCaller }
          const given = { body, query, params, headers, requestId, deadline, admission }
          const found = await route.handle(context, caller, given)
          if (!('rows' in found)) analytics.leave()
          return onceAudited(found, analytics.durable, deadline.signal)
        })
        if ('rows' in answer) return sendStream(observe, request, reply.headers(answer.headers ?? {}), answer)
        if ('content' in answer) return sendContent(reply.headers(answer.headers), answer.content)
        return 'envelope' in answer
          ? send(reply.headers(answer.headers), 200, answer.envelope)
          : send(reply, 200, answer)
      }),
  })
}

/** Takes a request slot, authenticates the caller and counts the request towards the caller's rate limit. */
async function admitRequest(
  request: FastifyRequest<RouteParts>,
  reply: FastifyReply,
  route: Route | PublicRoute,
  { context, onTokenUse, rateLimit, takeRequestSlot }: MountOptions,
): Promise<void> {
  if (route.scope === null) return
  const { authorization = '' } = request.headers
  const credential = authorization.slice(authorization.lastIndexOf(' ') + 1)
  const slot = holdSlot(takeRequestSlot({ credential, network: networkOf(request.ip) }), request, reply)
  const isCounted = route.interface !== 'ingest'
  // Check the rate limit before the token lookup. Otherwise a flood of requests over the limit would keep PostgreSQL and the
  // event loop busy.
  const refused = isCounted && slot.known !== null ? rateLimit.refusal(slot.known) : null
  if (refused !== null) {
    request.caller = slot.known
    throw refused
  }
  const caller = await slot.identify(() => identify(request, route, context.stores))
  onTokenUse(caller.tokenId)
  if (isCounted) reply.headers(await rateLimit.take(caller))
  // Release the slot of an ingest request, because its body takes minutes to arrive. Ingest has its own limits on requests and
  // bytes.
  else slot.release()
  request.admittedAt = performance.now()
}
