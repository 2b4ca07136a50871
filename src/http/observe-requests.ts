import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Observation, Observe } from '../base/observe.ts'
import { hasStalled, isCutting, wasReset } from './connection/cut-connections.ts'
import type { BeginTrace, Span } from '../engine/tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** True after `observeEnd` has reported the end of the request. */
    isOver: boolean
  }
}

type Finished = Extract<Observation, { kind: 'request-finished' }>
type Cut = NonNullable<Finished['cut']>

/** Returns true if Node has sent every byte of the response. */
export const isSentCompletely = ({ raw, server }: FastifyReply): boolean =>
  raw.writableFinished && !wasReset(raw.req.socket) && !(raw.req.socket.destroyed && isCutting(server.server))

/**
 * Reports the end of a request, only once. `cut` is the cause of an incomplete response, unless the service itself closed the
 * connection.
 */
export function observeEnd(observe: Observe, request: FastifyRequest, reply: FastifyReply, cut: Cut): void {
  if (request.isOver) return
  request.isOver = true
  // If the caller left before the response began, the response does not count as incomplete.
  const isCut = reply.raw.headersSent && !isSentCompletely(reply)
  observe({ ...finished(request, reply), ...(isCut ? { cut: causeOf(request, reply) ?? cut } : {}) })
}

function causeOf({ raw }: FastifyRequest, { server }: FastifyReply): Cut | null {
  if (isCutting(server.server)) return 'service-stopped'
  return hasStalled(raw.socket) ? 'caller-stalled' : null
}

function finished(request: FastifyRequest, reply: FastifyReply): Finished {
  const { caller } = request
  return {
    kind: 'request-finished',
    requestId: request.id,
    ...traceOf(request),
    interface: request.routeOptions.config.interface ?? 'none',
    method: request.method,
    route: routeOf(request),
    status: reply.statusCode,
    milliseconds: reply.elapsedTime,
    ...(caller === null ? {} : { caller }),
  }
}

/** Requests that the router itself refuses have no `span`. */
export const traceOf = ({ span }: FastifyRequest): { traceId?: string } =>
  span?.traceId === undefined ? {} : { traceId: span.traceId }

export const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'none'

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | null
  }
}

/**
 * Creates a trace span per request, which continues the caller's trace. The span lasts from the request's headers to the last
 * byte of the response.
 */
export function traceRequests(app: FastifyInstance, begin: BeginTrace): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply
    // The span gets the route's pattern, never the URL: URLs contain MAC addresses and unit numbers.
    const { method, routeOptions, headers } = request
    const route = routeOptions.url ?? 'none'
    const attributes = { 'http.request.method': method, 'http.route': route, 'broadgauge.request_id': request.id }
    const span = begin(`${method} ${route}`, 'server', attributes, headers)
    request.span = span
    raw.once('close', () => {
      span.note({
        'http.response.status_code': raw.statusCode,
        'broadgauge.complete': isSentCompletely(reply),
        ...(request.caller === null ? {} : { 'broadgauge.organisation': request.caller.organisationId }),
      })
      span.end(raw.statusCode >= 500 ? raw.statusCode : undefined)
    })
    done()
  })
}
