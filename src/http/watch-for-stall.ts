import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '../base/limits.ts'
import { unacknowledgedBytes } from './unacknowledged-bytes.ts'

/**
 * Looks in that time. A stall is noticed up to two of them late, one for its beginning and one for its end: of 60 s that is
 * the one second that is promised. Everybody's looks share one reading of the kernel's table, so that more cost no more.
 */
const looksPerLimit = 120

/**
 * Tells when the caller has taken nothing for too long although there was something to take. Node's own timeout of a socket
 * takes twice as long at times, and for silence what is a slow caller: see `unacknowledgedBytes`.
 */
export function watchForStall(
  response: ServerResponse,
  onStall: () => void,
  limitMs: number = limits.stallTimeoutMs,
): void {
  const { socket } = response
  if (socket === null) return
  let seen: string | null = null
  let seenAt = 0
  const look = async () => {
    // Nothing waits to be taken: the silence is the engine's.
    const now = socket.writableLength === 0 ? null : await progressOf(socket)
    if (now === null || now !== seen) {
      seen = now
      seenAt = performance.now()
    } else if (performance.now() - seenAt >= limitMs) onStall()
  }
  const timer = setInterval(() => void look(), limitMs / looksPerLimit)
  response.once('close', () => clearInterval(timer))
}

/** Changes with every byte that leaves us, and with every byte that has arrived. */
const progressOf = async (socket: Socket): Promise<string> =>
  `${socket.bytesWritten} ${socket.writableLength} ${await unacknowledgedBytes(socket)}`
