import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { tooManyRequests, type Fault } from '../../base/fault.ts'

/**
 * Maximum number of unanswered requests per connection. Browsers and libraries send one request at a time, but Node parses all
 * pipelined requests of a packet at once.
 */
const unansweredPerConnectionMax = 32

/** Counts the unanswered requests of each connection. Throws a 429 above the limit. */
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
  tooManyRequests({
    what: `requests on one connection; at most ${unansweredPerConnectionMax} may be unanswered`,
    limit: unansweredPerConnectionMax,
    detail: 'unanswered requests of a connection',
  })
