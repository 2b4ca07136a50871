import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'

export type Exchange = {
  method: string
  headers: Readonly<Record<string, string>>
  body: Uint8Array | null
}

export type Exchanged = { status: number; headers: IncomingHttpHeaders; text: string; milliseconds: number }

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/**
 * Sends one request without changing its address or headers. Returns null if the connection ended without a complete
 * response.
 */
export function exchange(origin: string, path: string, { method, headers, body }: Exchange): Promise<Exchanged | null> {
  const { hostname, port } = new URL(origin)
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const asked = httpRequest({ hostname, port, path, method, headers, agent, timeout: 40_000 })
    asked.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('close', () => {
        if (!response.complete) return resolve(null)
        const milliseconds = performance.now() - startedAt
        const text = unpacked(Buffer.concat(chunks), response.headers['content-encoding']).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, milliseconds })
      })
      response.on('error', () => resolve(null))
    })
    asked.on('error', () => resolve(null))
    asked.on('timeout', () => asked.destroy())
    asked.end(body ?? undefined)
  })
}

function unpacked(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'gzip') return gunzipSync(bytes)
  if (encoding === 'br') return brotliDecompressSync(bytes)
  return encoding === 'zstd' ? zstdDecompressSync(bytes) : bytes
}
