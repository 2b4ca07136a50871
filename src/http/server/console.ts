import type { FastifyInstance, FastifyReply } from 'fastify'
import { type BaseUrl, pathBelow, refuseOtherMethods } from './routing.ts'
import { isAccepted } from '../connection/content-encoding.ts'

export type ConsoleFile = {
  /** Path of the file below `/console/`. `index.html` is the page itself. */
  readonly path: string
  readonly type: string
  readonly bytes: Buffer
  readonly gzipped: Buffer
}

export type ConsoleOptions = {
  readonly files: readonly ConsoleFile[]
  /** Origins that the page may call in addition to its own. */
  readonly origins: readonly string[]
  readonly settings: { readonly dataBaseUrl: string; readonly metadataBaseUrl: string }
}

/**
 * Content security policy of the page. Scripts run only from files of this origin, so a script injected into the page does not
 * run.
 */
const pagePolicy = (origins: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ['connect-src', "'self'", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * Serves the console below the prefix of the data interface. The console's files contain no data: the page calls the API with a
 * token.
 */
export function serveConsole(app: FastifyInstance, base: BaseUrl, options: ConsoleOptions): void {
  if (options.files.length === 0) return
  const root = pathBelow(base, '/console')
  const get = (url: string, handler: (reply: FastifyReply, encodings: string) => FastifyReply) => {
    app.get(url, async ({ headers }, reply) => handler(reply, headers['accept-encoding']?.toString() ?? ''))
    refuseOtherMethods(app, { url }, ['GET'])
  }
  // The location is relative, so that it also works behind a proxy that adds a prefix.
  get(root, (reply) => reply.code(308).header('location', 'console/').send())
  get(`${root}/settings.json`, (reply) => reply.type('application/json; charset=utf-8').send(options.settings))
  const policy = pagePolicy(options.origins)
  for (const file of options.files) {
    const isPage = file.path === 'index.html'
    get(`${root}/${isPage ? '' : file.path}`, (reply, encodings) =>
      sendFile(reply, file, encodings, isPage ? { 'content-security-policy': policy } : immutable),
    )
  }
}

/**
 * Headers of all files except the page. The name of each file contains a hash of its content, so the content never changes.
 */
const immutable = { 'cache-control': 'public, max-age=31536000, immutable' }

function sendFile(
  reply: FastifyReply,
  file: ConsoleFile,
  encodings: string,
  headers: Record<string, string>,
): FastifyReply {
  const isGzip = isAccepted(encodings, 'gzip')
  reply.headers({ ...headers, 'content-type': file.type, vary: 'Accept-Encoding', 'referrer-policy': 'no-referrer' })
  if (isGzip) reply.header('content-encoding', 'gzip')
  return reply.send(isGzip ? file.gzipped : file.bytes)
}
