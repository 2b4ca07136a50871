import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { limits } from '../base/limits.ts'
import { cutStalled } from './cut-stalled.ts'
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
    tls === null
      ? createHttpServer(options, listener)
      : createHttpsServer({ ...options, ...certificate(tls) }, listener)
  cutStalled(server, tls === null ? 'connection' : 'secureConnection')
  return server
}
