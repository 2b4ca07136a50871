import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Fault } from '../../base/fault.ts'
import type { Observe } from '../../base/observe.ts'
import { failed } from '../../envelope/envelope.ts'
import { commonHeaders } from '../answer.ts'

export type RawAnswer = (socket: Duplex, fault: Fault) => void

/**
 * Answers on a bare socket, for requests so broken that no route and no reply object exists, and hangs up. Where an earlier
 * request of the same connection is still being answered, that answer is finished first and then the connection closed:
 * two answers must never be written over each other. A request that broke off in its own body is answered at once: no more
 * of it can come, and whoever reads it would wait for ever.
 */
export function rawAnswerOn(server: Server, observe: Observe): RawAnswer {
  const pending = new WeakMap<Duplex, number>()
  const doomed = new WeakSet<Duplex>()
  const latest = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>()
  const isTorn = (socket: Duplex) => {
    const { request, response } = latest.get(socket) ?? {}
    return pending.get(socket) === 1 && request?.complete === false && response?.headersSent === false
  }
  server.on('request', (request, response) => {
    const { socket } = request
    latest.set(socket, { request, response })
    pending.set(socket, (pending.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (pending.get(socket) ?? 1) - 1
      pending.set(socket, left)
      if (left === 0 && doomed.has(socket)) socket.end()
    })
  })
  return (socket, fault) => {
    const requestId = randomUUID()
    observe({ kind: 'request-failed', requestId, route: 'none', code: fault.code, ...detailOf(fault) })
    if ((pending.get(socket) ?? 0) > 0 && !isTorn(socket)) doomed.add(socket)
    else if (socket.writable) socket.end(rawText(fault, requestId), () => socket.destroy())
    else socket.destroy()
  }
}

const detailOf = ({ detail }: Fault) => (detail === undefined ? {} : { detail })

function rawText(fault: Fault, requestId: string): string {
  const body = JSON.stringify(failed(fault))
  const head = [
    `HTTP/1.1 ${fault.status} ${fault.code}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries({ ...commonHeaders(requestId), ...fault.headers }).map(([name, value]) => `${name}: ${value}`),
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
