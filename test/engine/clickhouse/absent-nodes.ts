import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { openClickHouse, type ClickHouse } from '../../../src/engine/clickhouse/clickhouse.ts'
import { limits } from '../../../src/base/limits.ts'
import { clickHouseOptions, readSettings } from '../../../src/serve/config.ts'
import { freePort } from '../../kit/free-port.ts'
import type { World } from '../../kit/world.ts'

/** An address where no server listens. */
export const deadAddress = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`

/**
 * An address that accepts connections but answers only the first `answers` requests, like a node that has lost its
 * network.
 */
export async function silentAddress(answers = 0): Promise<AsyncDisposable & { url: string }> {
  let left = answers
  return served((_, response) => {
    left -= 1
    if (left >= 0) response.end('Ok.\n')
  })
}

/** An address that answers every ping at once, and every statement after `statementMs` with the counts of an insert of one row. */
export const slowAddress = (statementMs: number): Promise<AsyncDisposable & { url: string }> =>
  served((request, response) => {
    request.resume()
    const summary = '{"read_rows":"1","written_rows":"1"}'
    if (request.url?.startsWith('/ping') === true) response.end('Ok.\n')
    else setTimeout(() => response.writeHead(200, { 'x-clickhouse-summary': summary }).end(), statementMs)
  })

async function served(listener: RequestListener): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

/** Listens, then accepts nothing more: it prints its port and blocks its event loop. */
const unaccepting = `const server = require('node:net').createServer()
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  console.log(server.address().port)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})`

/**
 * An address to which no connection can be opened and which refuses none, like a node that is cut off from the network: the
 * queue of a listener that does not accept is full, so the kernel drops the packets that ask for a connection.
 */
export async function droppingAddress(): Promise<AsyncDisposable & { url: string }> {
  const child = spawn(process.execPath, ['--eval', unaccepting], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(String(line))
  const queued: Socket[] = []
  for (let isFull = false; !isFull;) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    queued.push(socket)
    isFull = await Promise.race([once(socket, 'connect').then(() => false), pause(500, true)])
  }
  const close = async () => {
    for (const socket of queued) socket.destroy()
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

/** ClickHouse at other addresses, with the user and the timeout of the dictionary reconciler. */
export function nodesAt(world: World, urls: readonly string[]): AsyncDisposable & Pick<ClickHouse, 'nodes'> {
  const options = clickHouseOptions(readSettings(world.environment), 'DICTIONARY')
  const { nodes, close } = openClickHouse({ ...options, urls, timeoutMs: limits.dictionaryTimeoutMs })
  return { nodes, [Symbol.asyncDispose]: close }
}
