import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import { limits } from '../../base/limits.ts'
import { cutStalled } from '../connection/cut-stalled.ts'
import { certificate, type TlsFiles } from './tls.ts'

const timing = {
  maxHeaderSize: limits.headerBytesMax,
  headersTimeout: limits.headersTimeoutMs,
  keepAliveTimeout: limits.keepAliveTimeoutMs,
  // Answered by us instead: Node's own refusal of a missing Host header has no body.
  requireHostHeader: false,
  connectionsCheckingInterval: limits.connectionsCheckIntervalMs,
}

/**
 * Node's server with our limits, plain or TLS. A whole request must have arrived within `requestTimeoutMs`, and an answer
 * must be taken.
 */
export function createNodeServer(tls: TlsFiles | null, requestTimeoutMs: number, listener: RequestListener): Server {
  const options = { ...timing, requestTimeout: requestTimeoutMs }
  const server =
    tls === null ? createHttpServer(options, listener) : createTlsServer({ ...options, ...certificate(tls) }, listener)
  cutStalled(server, tls === null ? 'connection' : 'secureConnection')
  return server
}

/** Node's limits of headers and requests begin with the handshake's end; before it there is this one alone. */
function createTlsServer(options: ServerOptions, listener: RequestListener): Server {
  const server = createHttpsServer({ ...options, handshakeTimeout: limits.headersTimeoutMs }, listener)
  // Node's own listener hands these to whoever answers broken requests: an answer that waits for the handshake, for ever.
  server.removeAllListeners('tlsClientError')
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return server
}
