import type { FastifyInstance } from 'fastify'
import { Server as HttpsServer } from 'node:https'
import type { Observe } from '../../base/observe.ts'
import { SpokenError } from '../../base/fault.ts'
import { cutterOf } from '../connection/cut-connections.ts'
import { reloadCertificate, type TlsFiles } from './node-server.ts'

export type ListenerOptions = { host: string; port: number; tls: TlsFiles | null; observe: Observe }

export type Listener = {
  /** The address it really has; port 0 asks for any free one. */
  readonly address: string
  /** Takes no more connections, lets running requests finish for `drainMs`, then cuts them visibly. */
  readonly stop: (drainMs: number) => Promise<void>
}

/** A certificate lives for months; half a minute to notice a new one costs nothing. */
const certificateCheckMs = 30_000

export async function listen(app: FastifyInstance, { host, port, tls, observe }: ListenerOptions): Promise<Listener> {
  const cutConnections = cutterOf(app.server)
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw new SpokenError(`cannot listen on ${host} port ${port}: is it taken, or not ours to use?`, error)
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
    stop: async (drainMs) => {
      stopReloading()
      const cut = setTimeout(cutConnections, drainMs)
      await app.close()
      clearTimeout(cut)
    },
  }
}
