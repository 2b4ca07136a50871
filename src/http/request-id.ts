import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { withoutSecrets } from '../base/without-secrets.ts'

/** The caller's own id when it is harmless in a header, a log line and a query comment, and no token; otherwise a new one. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  const isHarmless =
    typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) && withoutSecrets(given) === given
  return isHarmless ? given : randomUUID()
}
