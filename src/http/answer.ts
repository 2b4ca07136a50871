import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../base/caller.ts'
import { bodyTooLarge, callerLeft, Fault, type FaultCode } from '../base/fault.ts'
import type { Observe } from '../base/observe.ts'
import { type Envelope, failed } from '../envelope/envelope.ts'
import { closesAfterResponses } from './connection/cut-connections.ts'
import { observeEnd, routeOf, traceOf } from './observe-requests.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** Responses depend on the caller, so no proxy may cache them. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
})

export function send(reply: FastifyReply, status: number, envelope: Envelope): FastifyReply {
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(envelope))
}

/** `Content-Type` is one of the headers that the reply already has. */
export const sendContent = (reply: FastifyReply, content: string | Uint8Array): FastifyReply =>
  reply
    .code(200)
    .send(typeof content === 'string' ? content : Buffer.from(content.buffer, content.byteOffset, content.length))

export function sendFault(observe: Observe, request: FastifyRequest, reply: FastifyReply, fault: Fault): FastifyReply {
  observeFault(observe, request, fault)
  // Set the common headers again: a request that the router itself refuses has not passed the `onRequest` hook.
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
    // A fault without a cause is a decision of the service, such as a refusal under load. The log needs only its detail.
    ...(fault.status >= 500 && fault.cause !== undefined ? { error: fault.cause } : {}),
  })
}

/**
 * Hooks for every route of a listener: they set the request id, send every error in the envelope, and report each request's end
 * once.
 */
export function answerWith(app: FastifyInstance, observe: Observe): void {
  app.decorateRequest('caller', null)
  app.decorateRequest('admittedAt', 0)
  app.decorateRequest('releaseSlot', noSlot)
  app.decorateRequest('isOver', false)
  // The hooks use callbacks: promises would take a tenth of the time of a small response.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request.id))
    done()
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { raw } = reply
    if (mustClose(reply)) reply.header('connection', 'close')
    // Both hooks are necessary. `close` may have been emitted already, and is not emitted again. Fastify calls `onResponse`
    // only if the response was sent completely.
    const end = () => observeEnd(observe, request, reply, 'caller-left')
    if (raw.closed) end()
    else raw.once('close', end)
    done()
  })
  app.setErrorHandler((error, request, reply) => {
    return sendFault(observe, request, reply, faultOf(error, request))
  })
  app.addHook('onResponse', (request, reply, done) => {
    observeEnd(observe, request, reply, 'caller-left')
    done()
  })
}

/** The default for `releaseSlot`, for requests that take no slot. */
const noSlot = (): void => {}

/**
 * Returns true if the connection must be closed after this response, for one of two reasons. The instance is stopping. Or it
 * has not read the whole request body: Node would parse the rest of the body as the next request.
 */
export const mustClose = ({ server, request }: FastifyReply): boolean =>
  !server.server.listening || closesAfterResponses(server.server) || !request.raw.complete

/** Returns true if the error occurred because the caller disconnected while sending the request. */
const hasLeft = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete

export const faultOf = (error: unknown, request: FastifyRequest): Fault =>
  hasLeft(request) ? callerLeft() : toFault(error, request)

/** The row of our error table for each error code of Fastify. */
const faultCodes: Record<string, FaultCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BAD_REQUEST',
  // QUERY is the only method for which Fastify requires a content type.
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_BAD_URL: 'NOT_FOUND',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
}

/** Converts any error to a fault. An unexpected error becomes a 500 without details. */
export function toFault(error: unknown, request: Pick<FastifyRequest, 'routeOptions'>): Fault {
  if (error instanceof Fault) return error
  const code = codeOf(error)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(request.routeOptions.bodyLimit)
  return coded(faultCodes[code] ?? 'UNKNOWN_ERROR', code, error)
}

/**
 * Converts Node's errors of a caller's connection. Do not use it for other errors: connections to the stores fail with the same
 * codes.
 */
export function brokenRequest(error: Error): Fault {
  const code = codeOf(error)
  if (/^(ECONN\w+|EPIPE|ETIMEDOUT)$/.test(code)) return callerLeft()
  if (code === 'HPE_HEADER_OVERFLOW') return coded('HEADERS_TOO_LARGE', code, error)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return coded('REQUEST_TIMEOUT', code, error)
  return coded(/^(HPE|ERR_SSL)_/.test(code) ? 'BAD_REQUEST' : 'UNKNOWN_ERROR', code, error)
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** The detail is only the error's code: libraries put the request's URL into the message. */
const coded = (fault: FaultCode, code: string, cause: unknown): Fault =>
  new Fault(fault, { detail: code || 'unforeseen', cause })
