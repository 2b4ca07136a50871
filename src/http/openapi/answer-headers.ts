import type { FaultCode } from '../../base/fault.ts'
import type { Schema } from './schema.ts'

const header = (description: string, type: 'string' | 'integer'): Schema => ({ description, schema: { type } })

/** Of every answer. */
export const requestIdHeader: Schema = { 'X-Request-Id': header('Of the request, or made by us.', 'string') }

/** Of whatever a token's share of requests is counted for. */
export const rateLimitHeaders: Schema = {
  'RateLimit-Limit': header('The limit that is nearest, or that was hit.', 'integer'),
  'RateLimit-Remaining': header('What is left of it.', 'integer'),
  'RateLimit-Reset': header('Seconds until it is full again; in a 429, until there is more.', 'integer'),
}

/** Of what is made of results. */
export const resultsFromHeader: Schema = {
  'X-Results-From': {
    description: 'Where earlier days were asked for, which are no longer kept: the first day that is answered.',
    schema: { type: 'string', format: 'date' },
  },
}

const retryAfter: Schema = { 'Retry-After': header('Seconds to wait before asking again.', 'integer') }

/** Of a failure, beside those of every answer. */
export const failureHeaders: Readonly<Record<string, Schema>> = {
  CONFLICT: retryAfter,
  METHOD_NOT_ALLOWED: { Allow: header('The methods there are.', 'string') },
  SERVICE_UNAVAILABLE: retryAfter,
  TOO_MANY_REQUESTS: { ...retryAfter, ...rateLimitHeaders },
} satisfies Partial<Record<FaultCode, Schema>>
