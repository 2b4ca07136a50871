import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Socket } from 'node:net'
import { limits } from '../../base/limits.ts'

/**
 * Connections to a node that are open within `limits.connectTimeoutMs`, or fail. The client library has only a limit for silence,
 * which is as long as a statement may take: without this limit, a query to a node that is cut off from the network would wait that
 * long, although another node could run it.
 */
export function connectAgent(url: string, connectionsMax: number): HttpAgent {
  const options = { keepAlive: true, maxSockets: connectionsMax }
  const agent = url.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options)
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (...given: Parameters<typeof connect>) => {
    const socket = connect(...given)
    if (socket instanceof Socket) limitConnecting(socket, given[0])
    return socket
  }
  return agent
}

function limitConnecting(socket: Socket, { host, port }: ClientRequestArgs): void {
  const giveUp = () => {
    if (!socket.connecting) return
    const message = `connect ETIMEDOUT ${host}:${port}`
    socket.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT', syscall: 'connect' }))
  }
  // If the event loop was blocked, the timer ends before Node has noticed that the connection is open. `setImmediate` waits for that.
  const timer = setTimeout(() => setImmediate(giveUp), limits.connectTimeoutMs)
  socket.once('connect', () => clearTimeout(timer))
  socket.once('close', () => clearTimeout(timer))
}
