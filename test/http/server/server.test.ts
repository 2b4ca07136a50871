import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { Observation } from '../../../src/base/observe.ts'
import { createServer, type ServerOptions } from '../../../src/http/server/server.ts'

const options: ServerOptions = {
  tls: null,
  bodyBytesMax: 1024,
  trustProxy: 0,
  bodies: 'json',
  observe: () => {},
  beginTrace: null,
}

async function addressSeen(trustProxy: number, forwardedFor: string): Promise<string> {
  const app = createServer({ ...options, trustProxy })
  app.get('/', async ({ ip }) => ip)
  const { body } = await app.inject({
    url: '/',
    remoteAddress: '192.0.2.9',
    headers: { host: 'x', 'x-forwarded-for': forwardedFor },
  })
  return body
}

it.each([
  [0, '198.51.100.1', '192.0.2.9'],
  [1, '198.51.100.1', '198.51.100.1'],
  [1, 'forged, 198.51.100.1', '198.51.100.1'],
  [2, 'forged, 198.51.100.1, 203.0.113.7', '198.51.100.1'],
])(
  'behind %i trusted proxies uses the address that the outermost of them added to "%s"',
  async (proxies, header, address) => {
    expect(await addressSeen(proxies, header)).toBe(address)
  },
)

it.each(['gzip, chunked', 'identity, chunked', 'chunked, gzip', 'gzip'])(
  'refuses the Transfer-Encoding "%s"',
  async (coding) => {
    const app = createServer(options)
    onTestFinished(() => app.close())
    app.post('/', async () => 'taken')
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const socket = connect(Number(port), '127.0.0.1')
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n`
    socket.write(`${head}2\r\n{}\r\n0\r\n\r\n`)
    const chunks = await Array.fromAsync(socket, (chunk: Buffer) => chunk.toString('latin1'))
    expect(chunks.join('')).toMatch(/^HTTP\/1\.1 400 [^]*BAD_REQUEST/)
  },
)

const whole = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

it.each([
  { what: 'before its first request', sent: [], failed: [] },
  { what: 'after a response', sent: [whole], failed: [] },
  { what: 'within a request', sent: ['GET / HT'], failed: ['BAD_REQUEST'] },
  { what: 'within its second request', sent: [whole, 'GET / HT'], failed: ['BAD_REQUEST'] },
])('reports $failed.length failed requests of a connection that is reset $what', async ({ sent, failed }) => {
  const seen: Observation[] = []
  const app = createServer({ ...options, observe: (observation) => seen.push(observation) })
  onTestFinished(() => app.close())
  app.get('/', async () => 'hello')
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const accepted = once(app.server, 'connection') as Promise<[Socket]>
  const socket = connect(Number(port), '127.0.0.1')
  const [atServer] = await accepted
  for (const text of sent) {
    const received = atServer.bytesRead + text.length
    socket.write(text)
    if (text === whole) await once(socket, 'data')
    await expect.poll(() => atServer.bytesRead).toBe(received)
  }
  const closed = new Promise((resolve) => {
    atServer.once('close', resolve)
  })
  socket.resetAndDestroy()
  await closed
  expect(seen.flatMap((one) => (one.kind === 'request-failed' ? [one.code] : []))).toEqual(failed)
})
