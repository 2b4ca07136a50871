import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { callerLeft } from '../../base/fault.ts'

/** The body parser of a listener whose routes read their bodies themselves: any type, as it arrives. */
export function takeStreams(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (_request: unknown, body: Readable) => body)
  // Fastify refuses what is no type at all by itself; the route says better what it takes.
  app.addHook('onRequest', async ({ headers }) => {
    if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+/.test(headers['content-type'] ?? '')) headers['content-type'] = 'none/none'
  })
}

/**
 * The pieces of a body; of a request without one, none. Whoever stops half-way leaves the stream alone: ending it would end
 * the connection before the answer that says why. `atEnd` may refuse what has come.
 */
export async function* bodyPieces(body: unknown, atEnd: () => Promise<unknown>): AsyncGenerator<Uint8Array> {
  const pieces = (body instanceof Readable ? body : Readable.from([])).iterator({ destroyOnReturn: false })
  try {
    yield* pieces
  } catch (error) {
    // Of the stream itself: whoever sends it has broken off.
    throw error instanceof Error && 'code' in error && error.code === 'ECONNRESET' ? callerLeft() : error
  }
  await atEnd()
}
