import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '../../base/limits.ts'

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

/** A stall is noticed up to two looks late, one for its beginning and one for its end: of 60 s that is one second. */
const looksPerLimit = 120

const stalled = new WeakSet<Socket>()

/** Whether the connection was cut because its caller took nothing. */
export const hasStalled = (socket: Socket): boolean => stalled.has(socket)

/**
 * Cuts connections of which the kernel has taken nothing for too long although something waits to be sent. Node's own timeout
 * of a socket takes twice as long at times. The kernel takes more once a third of its buffer, at most 4 MB, is free again:
 * who takes less than that in `limitMs` is cut too.
 */
export function cutStalled(
  server: Server,
  event: 'connection' | 'secureConnection',
  limitMs: number = limits.stallTimeoutMs,
): void {
  const looks = new Map<Socket, () => void>()
  server.on(event, (socket: Socket) => {
    looks.set(socket, lookerAt(socket, limitMs))
    socket.once('close', () => looks.delete(socket))
  })
  server.once('listening', () => {
    const timer = setInterval(() => looks.forEach((look) => look()), limitMs / looksPerLimit)
    server.once('close', () => clearInterval(timer))
  })
}

function lookerAt(socket: Socket, limitMs: number): () => void {
  let seen = ''
  let seenAt = 0
  return () => {
    const now = performance.now()
    const progress = `${socket.bytesWritten} ${socket.writableLength}`
    // Nothing waits to be taken: the silence is ours.
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

/** Node takes an answer for finished whose connection we have reset: what it had yet to send is then nothing. */
export const wasReset = (socket: Socket): boolean => reset.has(socket)

/** A reset, where there is one to send: HTTP/1.0 takes an orderly end of the connection for the end of the answer. */
export function resetConnection(socket: Socket): void {
  reset.add(socket)
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}
