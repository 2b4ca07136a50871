import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '../../base/limits.ts'
import { resetConnection } from './reset-connection.ts'

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
