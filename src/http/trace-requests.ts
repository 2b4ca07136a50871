import type { FastifyInstance } from 'fastify'
import type { BeginTrace, Span } from '../engine/tracing.ts'
import { isSentWhole } from './observe-end.ts'

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
