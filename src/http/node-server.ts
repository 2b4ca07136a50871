import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { limits } from '../base/limits.ts'
import { certificate, type TlsFiles } from './tls.ts'

const timing = {
  maxHeaderSize: limits.headerBytesMax,
  headersTimeout: limits.headersTimeoutMs,
  requestTimeout: limits.requestTimeoutMs,
  keepAliveTimeout: limits.keepAliveTimeoutMs,
  // Answered by us instead: Node's own refusal of a missing Host header has no body.
  requireHostHeader: false,
  connectionsCheckingInterval: limits.connectionsCheckIntervalMs,
}

/** Node's server with our limits, plain or TLS. */
export const createNodeServer = (tls: TlsFiles | null, listener: RequestListener): Server =>
  tls === null ? createHttpServer(timing, listener) : createHttpsServer({ ...timing, ...certificate(tls) }, listener)
