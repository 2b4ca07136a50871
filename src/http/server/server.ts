import { randomUUID } from 'node:crypto'
import { METHODS, type IncomingMessage, type Server } from 'node:http'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { Fault } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { withoutSecrets } from '../../base/without-secrets.ts'
import { checkJson } from '../../check/json.ts'
import type { BeginTrace } from '../../engine/tracing.ts'
import { answerWith, brokenRequest, sendFault, toFault } from '../answer.ts'
import { hostConstraint, plainPath } from './routing.ts'
import { createNodeServer, type TlsFiles } from './node-server.ts'
import { rawAnswerOn, type RawAnswer } from '../connection/raw-answer.ts'
import { takeStreams } from '../connection/stream-body.ts'
import { traceRequests } from '../observe-requests.ts'
import { unansweredCounter } from '../connection/unanswered-requests.ts'

export type ServerOptions = {
  tls: TlsFiles | null
  /**
   * Number of proxies in front of the service. The service trusts this many entries of `X-Forwarded-For`, counted from the
   * right.
   */
  trustProxy: number
  observe: Observe
  bodyBytesMax: number
  /**
   * `json`: bodies are parsed and checked before the route runs. `streams`: bodies are large and slow, so the route reads them
   * itself.
   */
  bodies: 'json' | 'streams'
  /** Null if requests are not traced. */
  beginTrace: BeginTrace | null
}

/** Creates a listener without routes. It sends every error in the envelope. */
export function createServer(options: ServerOptions): FastifyInstance {
  const app = createFastify(options)
  // Fastify supports nine methods and would respond with 404 to all others. If the methods are added here, they get a 405.
  for (const method of METHODS.filter((name) => !app.supportedMethods.includes(name) && name !== 'CONNECT')) {
    app.addHttpMethod(method, { hasBody: true })
  }
  if (options.bodies === 'json') takeJsonOnly(app)
  else takeStreams(app)
  app.decorateRequest('span', null)
  if (options.beginTrace !== null) traceRequests(app, options.beginTrace)
  answerWith(app, options.observe)
  const countUnanswered = unansweredCounter()
  app.addHook('onRequest', ({ raw }, reply, done) => {
    if (options.tls !== null) reply.header('strict-transport-security', 'max-age=31536000')
    countUnanswered(raw.socket, reply.raw)
    refuseAmbiguousHeaders(raw)
    done()
  })
  app.setNotFoundHandler(() => {
    throw new Fault('NOT_FOUND', { detail: 'no such route' })
  })
  answerBrokenRequests(app.server, rawAnswerOn(app.server, options.observe))
  return app
}

function createFastify({ bodyBytesMax, bodies, tls, trustProxy, observe }: ServerOptions): FastifyInstance {
  const isJson = bodies === 'json'
  const arrivalMs = isJson ? limits.requestTimeoutMs : limits.ingestTimeoutMs
  return fastify({
    serverFactory: (listener) => createNodeServer(tls, arrivalMs, listener),
    bodyLimit: bodyBytesMax,
    routerOptions: { maxParamLength: limits.pathParameterCharactersMax, constraints: { host: hostConstraint } },
    rewriteUrl: ({ url = '/' }) => plainPath(url),
    trustProxy: (_address, hop) => hop < trustProxy,
    genReqId: requestId,
    // A stopping instance still handles requests that arrive. Fastify's default would be a 503.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Fastify's own listener would write into an unfinished response. `answerBrokenRequests` replaces it.
    clientErrorHandler: () => {},
    frameworkErrors: (error, request, reply) => void sendFault(observe, request, reply, toFault(error, request)),
  })
}

const noConnect = new Fault('METHOD_NOT_ALLOWED', { headers: { allow: 'GET, HEAD, POST, PUT, DELETE' } })

/** Answers requests that Node's parser refuses and never passes to Fastify. */
function answerBrokenRequests(server: Server, answer: RawAnswer): void {
  server.on('clientError', (error, socket) => answer(socket, brokenRequest(error)))
  server.on('connect', (_request, socket) => answer(socket, noConnect))
  server.on('checkExpectation', ({ socket }) =>
    answer(socket, new Fault('BAD_REQUEST', { message: 'Only "Expect: 100-continue" is supported.' })),
  )
}

/** Prevents request smuggling: a proxy in front of the service could interpret these headers in another way. */
function refuseAmbiguousHeaders({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  const coding = headers['transfer-encoding'] ?? 'chunked'
  if (coding.toLowerCase() !== 'chunked') {
    throw new Fault('BAD_REQUEST', { message: 'The only Transfer-Encoding supported is chunked.' })
  }
  let hosts = 0
  let tokens = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase()
    if (name === 'host') hosts += 1
    else if (name === 'authorization') tokens += 1
  }
  if (hosts > 1 || tokens > 1 || (hosts === 0 && httpVersion === '1.1')) {
    throw new Fault('BAD_REQUEST', { message: 'The request must have one Host and at most one Authorization header.' })
  }
}

/**
 * Returns the caller's request id if it is safe in a header, a log line and a query comment, and contains no token. Otherwise
 * returns a new id.
 */
function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  const isHarmless =
    typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) && withoutSecrets(given) === given
  return isHarmless ? given : randomUUID()
}

/** Accepts only uncompressed JSON in UTF-8. `check/json` parses the bytes. */
function takeJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ method, headers }: FastifyRequest, body: Buffer) => {
      // Some clients send a content type with every request, even a DELETE without a body.
      if (method === 'DELETE' && body.length === 0) return undefined
      const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
      const encoding = headers['content-encoding'] ?? 'identity'
      if (!/^utf-?8$/i.test(charset) || !/^identity$/i.test(encoding)) throw new Fault('UNSUPPORTED_MEDIA_TYPE')
      return checkJson(body)
    },
  )
}
