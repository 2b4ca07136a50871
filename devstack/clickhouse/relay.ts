/**
 * Forwards the native connections of other nodes to this node, in a worker thread of server.ts. The library exits if a peer
 * resets an idle native connection; a node resets its connections to other nodes when a query over several nodes fails. The
 * vendor's server does not exit. The relay closes such a connection normally.
 */
import { connect, createServer, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

const { from, to } = workerData as { from: number; to: number }

const server = createServer({ allowHalfOpen: true }, (peer) => {
  const node = connect({ host: '127.0.0.1', port: to, allowHalfOpen: true })
  forward(peer, node)
  forward(node, peer)
})
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origin
server.listen(from, '127.0.0.1', () => parentPort?.postMessage('listening'))

function forward(source: Socket, target: Socket): void {
  source.setNoDelay(true)
  source.pipe(target)
  // A reset is an error here. `close` follows it, and then the other side is closed with FIN.
  source.on('error', () => {})
  source.on('close', () => target.end())
}
