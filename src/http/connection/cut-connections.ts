import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { resetConnection } from './reset-connection.ts'

const cut = new WeakSet<Server>()

/** Whether what is still being answered here is being cut by us. */
export const isCutting = (server: Server): boolean => cut.has(server)

/**
 * Follows the connections of a server, to cut those that are left by a reset: an orderly end of the connection is the end
 * of the answer to whoever speaks HTTP/1.0.
 */
export function cutterOf(server: Server): () => void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return () => {
    cut.add(server)
    for (const socket of sockets) resetConnection(socket)
  }
}
