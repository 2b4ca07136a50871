import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../base/caller.ts'
import { bodyTooLarge, callerLeft, Fault, type FaultCode } from '../base/fault.ts'
import type { Observe } from '../base/observe.ts'
import { type Envelope, failed } from '../envelope/envelope.ts'
import { observeEnd, routeOf, traceOf } from './observe-requests.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** The headers every answer has. Answers are per caller: no cache between us may keep one. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
})

export function send(reply: FastifyReply, status: number, envelope: Envelope): FastifyReply {
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(envelope))
}

export function sendFault(observe: Observe, request: FastifyRequest, reply: FastifyReply, fault: Fault): FastifyReply {
  observeFault(observe, request, fault)
  // Again, because what the router itself refuses has passed no hook.
  return send(reply.headers({ ...commonHeaders(request.id), ...fault.headers }), fault.status, failed(fault))
}

export function observeFault(observe: Observe, request: FastifyRequest, fault: Fault): void {
  observe({
    kind: 'request-failed',
    requestId: request.id,
    ...traceOf(request),
    route: routeOf(request),
    code: fault.code,
    ...(fault.detail === undefined ? {} : { detail: fault.detail }),
    // What has no cause was decided, such as a refusal when there is too much to do: the detail says it all.
    ...(fault.status >= 500 && fault.cause !== undefined ? { error: fault.cause } : {}),
  })
}

/** Hooks that hold for every route of a listener: request id, the envelope for every error, one observation at the end. */
export function answerWith(app: FastifyInstance, observe: Observe): void {
  app.decorateRequest('caller', null)
  app.decorateRequest('letInAt', 0)
  app.decorateRequest('releaseSlot', noSlot)
  app.decorateRequest('isOver', false)
  // Hooks with callbacks: a promise for each of them is a tenth of what a small answer costs.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request.id))
    done()
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { raw } = reply
    if (mustClose(reply)) reply.header('connection', 'close')
    // Nobody is told again of a close that was before, and Fastify's own hook hears only of what was sent whole.
    const end = () => observeEnd(observe, request, reply, 'caller-left')
    if (raw.closed) end()
    else raw.once('close', end)
    done()
  })
  app.setErrorHandler((error, request, reply) => {
    const fault = hasLeft(request) ? callerLeft() : toFault(error, request)
    return sendFault(observe, request, reply, fault)
  })
  app.addHook('onResponse', (request, reply, done) => {
    observeEnd(observe, request, reply, 'caller-left')
    done()
  })
}

/** Of requests that take none. */
const noSlot = (): void => {}

/**
 * While stopping, a keep-alive connection ends with the answer it waits for. So does one whose body we have not read and
 * never will: what is left of it must not be taken for a request.
 */
export const mustClose = ({ server, request }: FastifyReply): boolean =>
  !server.server.listening || !request.raw.complete

/** Nobody reads the answer any more, and whatever went wrong is not ours. */
const hasLeft = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete

/** Codes Fastify gives its own refusals, as rows of our table. */
const known: Record<string, FaultCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BAD_REQUEST',
  // Of QUERY, the one method that may not come without it.
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_BAD_URL: 'NOT_FOUND',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
}

/** Whatever was thrown, as a fault. What nobody foresaw is a 500 that tells the caller nothing. */
export function toFault(error: unknown, request: Pick<FastifyRequest, 'routeOptions'>): Fault {
  if (error instanceof Fault) return error
  const code = codeOf(error)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(request.routeOptions.bodyLimit)
  return coded(known[code] ?? 'UNKNOWN_ERROR', code, error)
}

/** What Node says of a caller's connection. Not for all that is thrown: connections to stores break with the same codes. */
export function brokenRequest(error: Error): Fault {
  const code = codeOf(error)
  if (/^(ECONN\w+|EPIPE|ETIMEDOUT)$/.test(code)) return callerLeft()
  if (code === 'HPE_HEADER_OVERFLOW') return coded('HEADERS_TOO_LARGE', code, error)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return coded('REQUEST_TIMEOUT', code, error)
  return coded(/^(HPE|ERR_SSL)_/.test(code) ? 'BAD_REQUEST' : 'UNKNOWN_ERROR', code, error)
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** Not the error's message: libraries put the address of the request into it. */
const coded = (fault: FaultCode, code: string, cause: unknown): Fault =>
  new Fault(fault, { detail: code || 'unforeseen', cause })
