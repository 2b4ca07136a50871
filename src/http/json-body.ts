import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'
import { checkJson } from '../check/json.ts'

/** The body parser: JSON in UTF-8, not compressed, taken as bytes and judged by `check/json`. */
export function takeJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ method, headers }: FastifyRequest, body: Buffer) => {
      // Some clients name the type on every request; where no body is asked for, none is no mistake.
      if (method === 'DELETE' && body.length === 0) return undefined
      const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
      const encoding = headers['content-encoding'] ?? 'identity'
      if (!/^utf-?8$/i.test(charset) || !/^identity$/i.test(encoding)) throw new Fault('UNSUPPORTED_MEDIA_TYPE')
      return checkJson(body)
    },
  )
}
