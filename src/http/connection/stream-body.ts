import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { callerLeft } from '../../base/fault.ts'

/** Installs a body parser for routes that read bodies of any content type as a stream. */
export function takeStreams(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (_request: unknown, body: Readable) => body)
  // Replace a malformed content type: Fastify would refuse it, and only the route's own error names the accepted types.
  app.addHook('onRequest', async ({ headers }) => {
    if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+/.test(headers['content-type'] ?? '')) headers['content-type'] = 'none/none'
  })
}

/**
 * Yields the chunks of a body, or nothing if the request has none. A consumer that stops early does not destroy the stream:
 * that would close the connection before the error response is sent. `atEnd` may throw to refuse the complete body.
 */
export async function* bodyPieces(body: unknown, atEnd: () => Promise<unknown>): AsyncGenerator<Uint8Array> {
  const pieces = (body instanceof Readable ? body : Readable.from([])).iterator({ destroyOnReturn: false })
  try {
    yield* pieces
  } catch (error) {
    // ECONNRESET is an error of the stream itself: the sender has disconnected.
    throw error instanceof Error && 'code' in error && error.code === 'ECONNRESET' ? callerLeft() : error
  }
  await atEnd()
}
