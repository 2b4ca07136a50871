import { METHODS, type Server } from 'node:http'
import fastify, { type FastifyInstance } from 'fastify'
import { Fault } from '../base/fault.ts'
import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import { answerWith, sendFault } from './answer.ts'
import { takeJsonOnly } from './json-body.ts'
import { createNodeServer } from './node-server.ts'
import { rawAnswer } from './raw-answer.ts'
import { requestId } from './request-id.ts'
import type { TlsFiles } from './tls.ts'
import { toFault } from './to-fault.ts'

export type ServerOptions = { bodyBytesMax: number; tls: TlsFiles | null; trustProxy: boolean; observe: Observe }

/** A listener on which nothing is routed yet and on which everything that goes wrong is answered by the envelope. */
export function createServer(options: ServerOptions): FastifyInstance {
  const app = createFastify(options)
  // Fastify knows nine methods; the others would be a 404 where the path exists.
  for (const method of METHODS.filter((name) => !app.supportedMethods.includes(name) && name !== 'CONNECT')) {
    app.addHttpMethod(method, { hasBody: true })
  }
  takeJsonOnly(app)
  answerWith(app, options.observe)
  app.setNotFoundHandler(() => {
    throw new Fault('NOT_FOUND', { detail: 'no such route' })
  })
  answerBrokenRequests(app.server)
  return app
}

function createFastify({ bodyBytesMax, tls, trustProxy, observe }: ServerOptions): FastifyInstance {
  return fastify({
    serverFactory: (listener) => createNodeServer(tls, listener),
    bodyLimit: bodyBytesMax,
    routerOptions: { maxParamLength: limits.pathParameterCharactersMax },
    trustProxy,
    genReqId: requestId,
    // While stopping, requests that still arrive are answered properly instead of by Fastify's own 503.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => rawAnswer(socket, toFault(error)),
    frameworkErrors: (error, request, reply) => void sendFault(observe, request, reply, toFault(error)),
  })
}

const notForProxies = new Fault('METHOD_NOT_ALLOWED', { headers: { allow: 'GET, HEAD, POST, PUT, DELETE' } })

/** Paths of Node's parser that never reach Fastify. */
function answerBrokenRequests(server: Server): void {
  server.on('connect', (_request, socket) => rawAnswer(socket, notForProxies))
  server.on('checkExpectation', ({ socket }) =>
    rawAnswer(socket, new Fault('BAD_REQUEST', { message: 'Only "Expect: 100-continue" is supported.' })),
  )
}
