import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer, type Server as TlsServer, type ServerOptions } from 'node:https'
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import type { SecureContextOptions } from 'node:tls'
import { limits } from '../../base/limits.ts'
import { cutStalled } from '../connection/cut-connections.ts'
import type { Observe } from '../../base/observe.ts'

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

export type TlsFiles = { certificateFile: string; keyFile: string }

/** The specification asks for TLS 1.2; 1.3 is welcome, anything older is not. */
export const certificate = ({ certificateFile, keyFile }: TlsFiles): SecureContextOptions => ({
  cert: readFileSync(certificateFile),
  key: readFileSync(keyFile),
  minVersion: 'TLSv1.2',
})

/**
 * Takes a renewed certificate without a restart. Looks at the files instead of listening for events: renewal tools swap
 * symbolic links, which watchers of the file itself miss. A pair that does not fit is reported and the old one kept.
 */
export function reloadCertificate(
  server: TlsServer,
  files: TlsFiles,
  intervalMs: number,
  observe: Observe,
): () => void {
  const reload = () => {
    try {
      server.setSecureContext(certificate(files))
      observe({ kind: 'certificate-reloaded' })
    } catch (error) {
      observe({ kind: 'certificate-refused', error })
    }
  }
  const paths = [files.certificateFile, files.keyFile]
  for (const path of paths) watchFile(path, { interval: intervalMs, persistent: false }, reload)
  return () => {
    for (const path of paths) unwatchFile(path, reload)
  }
}
