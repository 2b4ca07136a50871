import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '../../base/limits.ts'

const cut = new WeakSet<Server>()

/** Returns true if the server is stopping and has reset its remaining connections. */
export const isCutting = (server: Server): boolean => cut.has(server)

const closing = new WeakSet<Server>()

/** From now on, the server closes each connection after its response. It still accepts connections. */
export const closeAfterResponses = (server: Server): void => void closing.add(server)

export const closesAfterResponses = (server: Server): boolean => closing.has(server)

/**
 * Tracks the connections of a server. The returned function resets all open connections. It does not close them normally: an
 * HTTP/1.0 client would interpret a normal close as the end of the response.
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

/**
 * Number of checks within the time limit for stalls. A stall is detected up to two check intervals late: one at its start and
 * one at its end. With a limit of 60 s, that is one second.
 */
const checksPerLimit = 120

const stalled = new WeakSet<Socket>()

/** Returns true if the server reset this connection because its caller read nothing. */
export const hasStalled = (socket: Socket): boolean => stalled.has(socket)

/**
 * Resets a connection if Node has bytes to send but the kernel has accepted none for `limitMs`. Node's own socket timeout
 * sometimes takes twice as long. The kernel accepts more bytes only when a third of its buffer, at most 4 MB, is free. So a
 * caller that reads less than that in `limitMs` is disconnected too.
 */
export function cutStalled(
  server: Server,
  event: 'connection' | 'secureConnection',
  limitMs: number = limits.stallTimeoutMs,
): void {
  const checks = new Map<Socket, () => void>()
  server.on(event, (socket: Socket) => {
    checks.set(socket, stallCheck(socket, limitMs))
    socket.once('close', () => checks.delete(socket))
  })
  server.once('listening', () => {
    const timer = setInterval(() => checks.forEach((check) => check()), limitMs / checksPerLimit)
    server.once('close', () => clearInterval(timer))
  })
}

function stallCheck(socket: Socket, limitMs: number): () => void {
  let seen = ''
  let seenAt = 0
  return () => {
    const now = performance.now()
    const progress = `${socket.bytesWritten} ${socket.writableLength}`
    // If there is nothing to send, the caller waits for the service, so the caller has not stalled.
    if (socket.writableLength === 0 || progress !== seen) {
      seen = progress
      seenAt = now
    } else if (now - seenAt >= limitMs) {
      stalled.add(socket)
      resetConnection(socket)
    }
  }
}

const reset = new WeakSet<Socket>()

/**
 * Returns true if the server reset this connection. After a reset, Node reports an unfinished response as finished, because
 * its send queue is empty.
 */
export const wasReset = (socket: Socket): boolean => reset.has(socket)

/**
 * Resets a TCP connection and destroys a TLS connection. An HTTP/1.0 client would interpret a normal close as the end of the
 * response.
 */
export function resetConnection(socket: Socket): void {
  reset.add(socket)
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}
