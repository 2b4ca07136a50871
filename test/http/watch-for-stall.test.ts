import { EventEmitter, once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { discardAnswer } from '../../bench/test-data/discarding-client.ts'
import { watchForStall } from '../../src/http/watch-for-stall.ts'
import { pause } from '../faults/attempt.ts'

const limitMs = 3_000

/** Sends without end; tells how long each caller was borne with. */
async function openEndless() {
  const stalledAfterMs = new Map<string, number>()
  const responses: ServerResponse[] = []
  const server = createServer((request, response) => {
    const startedAt = performance.now()
    responses.push(response)
    watchForStall(
      response,
      () => {
        stalledAfterMs.set(request.url ?? '', performance.now() - startedAt)
        response.destroy()
      },
      limitMs,
    )
    Readable.from(endless(request.url === '/quiet' ? 20_000 : 0)).pipe(response)
    response.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ask: (path: string, bytesPerSecond?: number) =>
      discardAnswer({ url: `http://127.0.0.1:${port}${path}`, headers: {}, body: '' }, bytesPerSecond),
    stalledAfterMs,
    close: () => {
      for (const response of responses) response.destroy()
      server.close()
    },
  }
}

/** A first piece, a silence of our own, and then as much as is taken. */
async function* endless(silenceMs: number): AsyncGenerator<Buffer> {
  yield Buffer.alloc(1_000)
  await pause(silenceMs)
  for (;;) yield Buffer.alloc(65_536)
}

it.concurrent('tells of a caller who takes nothing, and neither of a slow one nor of one who has nothing to take', async () => {
  const { ask, stalledAfterMs, close } = await openEndless()
  const callers = [ask('/idle', 0.001), ask('/slow', 100_000), ask('/quiet')]
  const ended = callers.map(({ ended: end }) => end.catch(() => 0))
  await pause(4 * limitMs)
  expect([...stalledAfterMs.keys()]).toEqual(['/idle'])
  const after = stalledAfterMs.get('/idle') ?? 0
  expect(after).toBeGreaterThanOrEqual(limitMs)
  expect(after).toBeLessThan(1.7 * limitMs)
  // Slow, but not so slow that Node would have noticed it taking anything: otherwise this shows nothing.
  expect(callers[1]?.read()).toBeGreaterThan(3 * limitMs * 50)
  expect(callers[1]?.read()).toBeLessThan(4 * limitMs * 200)
  for (const caller of callers) caller.leave()
  close()
  await Promise.all(ended)
}, 60_000)

it.concurrent('tells a sixtieth of the limit late at most, which of a minute is the second that is promised', async () => {
  const longMs = 6_000
  const socket = { bytesWritten: 1, writableLength: 1, localPort: 0, remotePort: 0 }
  const response = Object.assign(new EventEmitter(), { socket }) as unknown as ServerResponse
  const stalled = Promise.withResolvers<number>()
  const startedAt = performance.now()
  watchForStall(response, () => stalled.resolve(performance.now() - startedAt), longMs)
  const after = await stalled.promise
  response.emit('close')
  expect(after).toBeGreaterThanOrEqual(longMs)
  // The machine may be busy.
  expect(after).toBeLessThan(longMs + longMs / 60 + 300)
}, 30_000)
