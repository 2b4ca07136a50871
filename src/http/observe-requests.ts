import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Observation, Observe } from '../base/observe.ts'
import { hasStalled, isCutting, wasReset } from './connection/cut-connections.ts'
import type { BeginTrace, Span } from '../engine/tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Its end has been told of. */
    isOver: boolean
  }
}

type Finished = Extract<Observation, { kind: 'request-finished' }>
type Cut = NonNullable<Finished['cut']>

/** Every byte of the answer has gone out. */
export const isSentWhole = ({ raw, server }: FastifyReply): boolean =>
  raw.writableFinished && !wasReset(raw.req.socket) && !(raw.req.socket.destroyed && isCutting(server.server))

/** Tells of a request's end, once. An answer that broke off did so because of what we did to its connection, or else `cut`. */
export function observeEnd(observe: Observe, request: FastifyRequest, reply: FastifyReply, cut: Cut): void {
  if (request.isOver) return
  request.isOver = true
  // Who left before the answer began was given none that could break off.
  const isCut = reply.raw.headersSent && !isSentWhole(reply)
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

/** What the router itself refuses has no span, not even a null. */
export const traceOf = ({ span }: FastifyRequest): { traceId?: string } =>
  span?.traceId === undefined ? {} : { traceId: span.traceId }

export const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'none'

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | null
  }
}

/** A span for every request, from its headers to the last byte of its answer; the caller's trace goes on in it. */
export function traceRequests(app: FastifyInstance, begin: BeginTrace): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply
    // The route's pattern, never the address: addresses hold MAC addresses and unit numbers.
    const { method, routeOptions, headers } = request
    const route = routeOptions.url ?? 'none'
    const attributes = { 'http.request.method': method, 'http.route': route, 'broadgauge.request_id': request.id }
    const span = begin(`${method} ${route}`, 'server', attributes, headers)
    request.span = span
    raw.once('close', () => {
      span.note({
        'http.response.status_code': raw.statusCode,
        'broadgauge.complete': isSentWhole(reply),
        ...(request.caller === null ? {} : { 'broadgauge.organisation': request.caller.organisationId }),
      })
      span.end(raw.statusCode >= 500 ? raw.statusCode : undefined)
    })
    done()
  })
}
