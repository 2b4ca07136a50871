import { connect } from 'node:net'
import type { IngestWorld } from './ingest-world.ts'

/** Writes a request, or its first bytes, and closes the connection without waiting for the response. */
export async function sendAndHangUp(
  { service, token }: Pick<IngestWorld, 'service' | 'token'>,
  body: string,
  { retryForMs, bytes = body.length }: { retryForMs: number; bytes?: number },
): Promise<void> {
  const { hostname, port } = new URL(service.addresses.ingest)
  const head = [
    'POST /ingest/ping HTTP/1.1',
    'Host: a',
    `Authorization: ${token}`,
    'Content-Type: application/x-ndjson',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, bytes)}`, () =>
        setTimeout(() => socket.destroy(), retryForMs),
      )
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
}
