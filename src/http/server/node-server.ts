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
  // `refuseAmbiguousHeaders` refuses requests without a Host header instead, because Node's own refusal has no body.
  requireHostHeader: false,
  connectionsCheckingInterval: limits.connectionsCheckIntervalMs,
}

/** A caller must send its whole request within `requestTimeoutMs`, and must not stop reading the response. */
export function createNodeServer(tls: TlsFiles | null, requestTimeoutMs: number, listener: RequestListener): Server {
  const options = { ...timing, requestTimeout: requestTimeoutMs }
  const server =
    tls === null ? createHttpServer(options, listener) : createTlsServer({ ...options, ...certificate(tls) }, listener)
  cutStalled(server, tls === null ? 'connection' : 'secureConnection')
  return server
}

/**
 * Node's timeouts for headers and requests start after the TLS handshake. Only `handshakeTimeout` limits the handshake itself.
 */
function createTlsServer(options: ServerOptions, listener: RequestListener): Server {
  const server = createHttpsServer({ ...options, handshakeTimeout: limits.headersTimeoutMs }, listener)
  // Node's own listener passes these errors to `clientError`. A response written there would wait for the handshake forever.
  server.removeAllListeners('tlsClientError')
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return server
}

export type TlsFiles = { certificateFile: string; keyFile: string }

/** The specification requires TLS 1.2 or newer. */
export const certificate = ({ certificateFile, keyFile }: TlsFiles): SecureContextOptions => ({
  cert: readFileSync(certificateFile),
  key: readFileSync(keyFile),
  minVersion: 'TLSv1.2',
})

/**
 * Loads a renewed certificate without a restart. It polls the files: renewal tools replace symbolic links, and file system
 * events of the file itself do not show that. If certificate and key do not match, the server reports an error and keeps the
 * old pair.
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
