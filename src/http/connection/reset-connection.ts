import type { Socket } from 'node:net'

const reset = new WeakSet<Socket>()

/** Node takes an answer for finished whose connection we have reset: what it had yet to send is then nothing. */
export const wasReset = (socket: Socket): boolean => reset.has(socket)

/** A reset, where there is one to send: HTTP/1.0 takes an orderly end of the connection for the end of the answer. */
export function resetConnection(socket: Socket): void {
  reset.add(socket)
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}
