import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { Fault } from '../base/fault.ts'
import { failed } from '../envelope/envelope.ts'
import { commonHeaders } from './answer.ts'

/** Answers on a bare socket, for requests so broken that no route and no reply object exists. Then hangs up. */
export function rawAnswer(socket: Duplex, fault: Fault): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(failed(fault))
  const head = [
    `HTTP/1.1 ${fault.status} ${fault.code}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries({ ...commonHeaders(randomUUID()), ...fault.headers }).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
