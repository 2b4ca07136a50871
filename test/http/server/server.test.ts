import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
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
