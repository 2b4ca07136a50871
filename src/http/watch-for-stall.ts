import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '../base/limits.ts'
import { unacknowledgedBytes } from './unacknowledged-bytes.ts'

/** Looks in that time: how much later than it a stall may be noticed. */
const looksPerLimit = 12

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
