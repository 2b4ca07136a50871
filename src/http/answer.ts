import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../base/caller.ts'
import { callerLeft, type Fault } from '../base/fault.ts'
import type { Observe } from '../base/observe.ts'
import { failed, type Envelope } from '../envelope/envelope.ts'
import { observeEnd, routeOf, traceOf } from './observe-end.ts'
import { toFault } from './to-fault.ts'

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
