import type { FaultCode } from '../../base/fault.ts'
import type { Schema } from './schema.ts'

const header = (description: string, type: 'string' | 'integer'): Schema => ({ description, schema: { type } })

/** A header of every response. */
export const requestIdHeader: Schema = {
  'X-Request-Id': header('Identifier of the request: the one the caller sent, or a generated one.', 'string'),
}

/** Headers on responses of routes that count towards the token's rate limit. */
export const rateLimitHeaders: Schema = {
  'RateLimit-Limit': header(
    'The smaller of the limits on requests per second, of the organisation and of the token. In a 429: the limit that was reached.',
    'integer',
  ),
  'RateLimit-Remaining': header('Number of requests that this limit still allows now. In a 429: 0.', 'integer'),
  'RateLimit-Reset': header(
    'Number of seconds until the full limit is available again. In a 429: the same as `Retry-After`.',
    'integer',
  ),
}

/** A header of responses that contain results. */
export const resultsFromHeader: Schema = {
  'X-Results-From': {
    description:
      'First day of the response. Present if the range of the request begins before the first day that is kept.',
    schema: { type: 'string', format: 'date' },
  },
}

/** A header of responses that are divided into pages. */
export const nextHeader: Schema = {
  'Broadgauge-Next': header(
    'The cursor of the next page, for `after`. Absent on the last page, and if the request has no `limit`.',
    'string',
  ),
}

const retryAfter: Schema = { 'Retry-After': header('Number of seconds to wait before the next attempt.', 'integer') }

/** Headers of error responses by error code, in addition to the headers of every response. */
export const failureHeaders: Readonly<Record<string, Schema>> = {
  CONFLICT: retryAfter,
  PASSWORD_REQUIRED: { 'WWW-Authenticate': header('Asks for HTTP Basic.', 'string') },
  METHOD_NOT_ALLOWED: { Allow: header('Methods that the path accepts.', 'string') },
  SERVICE_UNAVAILABLE: retryAfter,
  TOO_MANY_REQUESTS: { ...retryAfter, ...rateLimitHeaders },
} satisfies Partial<Record<FaultCode, Schema>>
