import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Fault } from '../base/fault.ts'

/** Browsers and libraries wait for each answer; Node parses every pipelined request that a packet brings at once. */
const unansweredPerConnectionMax = 32

/** Counts the unanswered requests of each connection, and throws the 429 for one too many. */
export function unansweredCounter(): (socket: Socket, response: ServerResponse) => void {
  const unanswered = new WeakMap<Socket, number>()
  const add = (socket: Socket, count: number) => {
    const now = (unanswered.get(socket) ?? 0) + count
    unanswered.set(socket, now)
    return now
  }
  return (socket, response) => {
    const now = add(socket, 1)
    response.once('close', () => add(socket, -1))
    if (now > unansweredPerConnectionMax) throw tooMany()
  }
}

const tooMany = (): Fault =>
  new Fault('TOO_MANY_REQUESTS', {
    message: `Too many requests on one connection; at most ${unansweredPerConnectionMax} may be unanswered. Try again after the time in Retry-After.`,
    headers: { 'retry-after': '1' },
    detail: 'unanswered requests of a connection',
  })
