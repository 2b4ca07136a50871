import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '../base/limits.ts'
import { resetConnection } from './reset-connection.ts'
import { unacknowledgedBytes } from './unacknowledged-bytes.ts'

/**
 * Looks in that time. A stall is noticed up to two of them late, one for its beginning and one for its end: of 60 s that is
 * the one second that is promised. Everybody's looks share one reading of the kernel's table, so that more cost no more.
 */
const looksPerLimit = 120

const stalled = new WeakSet<Socket>()

/** Whether the connection was cut because its caller took nothing. */
export const hasStalled = (socket: Socket): boolean => stalled.has(socket)

/**
 * Cuts connections whose caller has taken nothing for too long although there was something to take, whatever the answer.
 * Node's own timeout of a socket takes twice as long at times, and for silence what is a slow caller: see
 * `unacknowledgedBytes`.
 */
export function cutStalled(
  server: Server,
  event: 'connection' | 'secureConnection',
  limitMs: number = limits.stallTimeoutMs,
): void {
  const looks = new Map<Socket, () => Promise<void>>()
  server.on(event, (socket: Socket) => {
    looks.set(socket, lookerAt(socket, limitMs))
    socket.once('close', () => looks.delete(socket))
  })
  server.once('listening', () => {
    const timer = setInterval(() => {
      for (const look of looks.values()) void look()
    }, limitMs / looksPerLimit)
    server.once('close', () => clearInterval(timer))
  })
}

function lookerAt(socket: Socket, limitMs: number): () => Promise<void> {
  let seen: string | null = null
  let seenAt = 0
  return async () => {
    // Nothing waits to be taken: the silence is ours.
    const now = socket.writableLength === 0 ? null : await progressOf(socket)
    if (now === null || now !== seen) {
      seen = now
      seenAt = performance.now()
    } else if (performance.now() - seenAt >= limitMs) {
      stalled.add(socket)
      resetConnection(socket)
    }
  }
}

/** Changes with every byte that leaves us, and with every byte that has arrived. */
const progressOf = async (socket: Socket): Promise<string> =>
  `${socket.bytesWritten} ${socket.writableLength} ${await unacknowledgedBytes(socket)}`
