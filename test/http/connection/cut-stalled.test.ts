import { EventEmitter, once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { discardAnswer } from '../../../bench/test-data/discarding-client.ts'
import { cutStalled, hasStalled } from '../../../src/http/connection/cut-connections.ts'
import { pause } from '../../faults/attempt.ts'
import { stopwatch, undisturbed, type Taken } from '../../kit/running-time.ts'

const limitMs = 3_000

/**
 * A server whose response depends on the path: an endless response, a large response, or a response after a pause.
 * `stalledAfter` records when the server closed the connection of each caller that did not read.
 */
async function openEndless() {
  const stalledAfter = new Map<string, Taken>()
  const server = createServer(({ url = '', socket }, response) => {
    const taken = stopwatch()
    response.on('error', () => {})
    socket.once('close', () => {
      if (hasStalled(socket)) stalledAfter.set(url, taken())
    })
    if (url === '/whole') response.end(Buffer.alloc(50_000_000))
    else if (url === '/soon') setTimeout(() => response.end('soon'), 500)
    else Readable.from(endless(url === '/quiet' ? 20_000 : 0)).pipe(response)
  })
  cutStalled(server, 'connection', limitMs)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    ask: (path: string, bytesPerSecond?: number) =>
      discardAnswer({ url: `http://127.0.0.1:${port}${path}`, headers: {}, body: '' }, bytesPerSecond),
    stalledAfter,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A first piece, a pause of `silenceMs`, and then as much as the caller reads. */
async function* endless(silenceMs: number): AsyncGenerator<Buffer> {
  yield Buffer.alloc(1_000)
  await pause(silenceMs)
  for (;;) yield Buffer.alloc(65_536)
}

it.concurrent(
  'cuts a caller that reads nothing, and neither a slow one nor one with nothing to read',
  () => undisturbed(cutThoseWhoTakeNothing),
  90_000,
)

async function cutThoseWhoTakeNothing(): Promise<void> {
  const { ask, stalledAfter, close } = await openEndless()
  const callers = [ask('/idle', 0.001), ask('/slow', 2_000_000), ask('/quiet'), ask('/whole', 0.001)]
  const ended = callers.map(({ ended: end }) => end.catch(() => 0))
  try {
    await pause(4 * limitMs)
    expect([...stalledAfter.keys()].toSorted()).toEqual(['/idle', '/whole'])
    for (const { passedMs, ranMs } of stalledAfter.values()) {
      expect(passedMs).toBeGreaterThanOrEqual(limitMs)
      expect(ranMs).toBeLessThan(1.7 * limitMs)
    }
    // The slow caller has received more bytes than the kernel's buffers hold, so it really reads. It has received fewer
    // bytes than a fast caller would.
    expect(callers[1]?.read()).toBeGreaterThan(3 * limitMs * 1_000)
    expect(callers[1]?.read()).toBeLessThan(4 * limitMs * 4_000)
  } finally {
    for (const caller of callers) caller.leave()
    close()
    await Promise.all(ended)
  }
}

// While Node still sends the first response on a connection, it has not yet assigned the socket to the second response.
it.concurrent('cuts a caller that reads nothing of the second of two responses', async () => {
  const { port, stalledAfter, close } = await openEndless()
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(['/soon', '/idle'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
  await expect.poll(() => stalledAfter.has('/idle'), { timeout: 4 * limitMs }).toBe(true)
  expect(stalledAfter.get('/idle')?.passedMs).toBeGreaterThanOrEqual(limitMs)
  socket.destroy()
  close()
}, 60_000)

it.concurrent('cuts at most a sixtieth of the limit late: for a minute that is the promised second', async () => {
  const longMs = 6_000
  const cut = Promise.withResolvers<Taken>()
  const taken = stopwatch()
  const server = new EventEmitter()
  const resetAndDestroy = () => cut.resolve(taken())
  const socket = { bytesWritten: 1, writableLength: 1, localPort: 0, remotePort: 0, resetAndDestroy }
  cutStalled(server as Server, 'connection', longMs)
  server.emit('listening')
  server.emit('connection', Object.assign(new EventEmitter(), socket))
  const { passedMs, ranMs } = await cut.promise
  server.emit('close')
  expect(passedMs).toBeGreaterThanOrEqual(longMs)
  // The additional 300 ms are for a busy machine.
  expect(ranMs).toBeLessThan(longMs + longMs / 60 + 300)
}, 30_000)
