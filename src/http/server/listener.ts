import type { FastifyInstance } from 'fastify'
import { Server as HttpsServer } from 'node:https'
import type { Observe } from '../../base/observe.ts'
import { UserFacingError } from '../../base/fault.ts'
import { closeAfterResponses, cutterOf } from '../connection/cut-connections.ts'
import { reloadCertificate, type TlsFiles } from './node-server.ts'

export type ListenerOptions = { host: string; port: number; tls: TlsFiles | null; observe: Observe }

export type Listener = {
  /** URL of the listener. If the configured port is 0, it contains the port that the kernel chose. */
  readonly address: string
  /** From now on, closes each connection after its response. The listener still accepts connections. */
  readonly closeAfterResponses: () => void
  /**
   * Accepts no more connections, waits up to `drainMs` for running requests, then resets the connections that are still open.
   */
  readonly stop: (drainMs: number) => Promise<void>
}

/** Certificates are valid for months, so noticing a new one within half a minute is soon enough. */
const certificateCheckMs = 30_000

export async function listen(app: FastifyInstance, { host, port, tls, observe }: ListenerOptions): Promise<Listener> {
  const cutConnections = cutterOf(app.server)
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw new UserFacingError(
      `cannot listen on ${host} port ${port}: another process uses the port, or the service may not use it`,
      error,
    )
  }
  const { server } = app
  const stopReloading =
    tls !== null && server instanceof HttpsServer
      ? reloadCertificate(server, tls, certificateCheckMs, observe)
      : () => {}
  const bound = server.address()
  const realPort = typeof bound === 'object' && bound !== null ? bound.port : port
  return {
    address: `${tls === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${realPort}`,
    closeAfterResponses: () => closeAfterResponses(server),
    stop: async (drainMs) => {
      stopReloading()
      const cut = setTimeout(cutConnections, drainMs)
      await app.close()
      clearTimeout(cut)
    },
  }
}
