import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Fault } from '../../base/fault.ts'
import type { Observe } from '../../base/observe.ts'
import { failed } from '../../envelope/envelope.ts'
import { commonHeaders } from '../answer.ts'

export type RawAnswer = (socket: Duplex, fault: Fault) => void

/**
 * Answers a malformed request on its socket, because such a request has no route and no reply object. Then it closes the
 * connection. Two responses must never mix. So if an earlier request of the connection is unanswered, the service completes
 * only the response to that request, and then closes the connection. There is one exception: if the earlier request is the
 * malformed request itself, because its body is invalid, it is answered at once. Its handler would wait for the body forever.
 */
export function rawAnswerOn(server: Server, observe: Observe): RawAnswer {
  const pending = new WeakMap<Duplex, number>()
  const closeAfterAnswer = new WeakSet<Duplex>()
  const latest = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>()
  /** The bytes that each connection had received when its last response ended. */
  const receivedBefore = new WeakMap<Duplex, number>()
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
      receivedBefore.set(socket, socket.bytesRead)
      if (left === 0 && closeAfterAnswer.has(socket)) socket.end()
    })
  })
  /** True between two requests: the connection has received nothing since its last response. */
  const isIdle = (socket: Duplex) =>
    (pending.get(socket) ?? 0) === 0 &&
    socket instanceof Socket &&
    socket.bytesRead === (receivedBefore.get(socket) ?? 0)
  return (socket, fault) => {
    // The caller has reset an idle connection, as load balancers do. No request has failed.
    if (fault.code === 'BAD_REQUEST' && isIdle(socket)) {
      socket.destroy()
      return
    }
    const requestId = randomUUID()
    observe({ kind: 'request-failed', requestId, route: 'none', code: fault.code, ...detailOf(fault) })
    if ((pending.get(socket) ?? 0) > 0 && !isTorn(socket)) closeAfterAnswer.add(socket)
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
