import type { FastifyInstance } from 'fastify'

const preflightAnswer = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Accept, Idempotency-Key, X-Request-Id',
  'access-control-max-age': '600',
}

/**
 * Lets pages of the listed origins call us. A preflight carries no token, so it is answered before authentication; an
 * OPTIONS that is none goes on to its 405. No credentials are allowed: tokens travel in a header, never in a cookie.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  app.addHook('onRequest', async (request, reply) => {
    reply.header('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !origins.includes(origin)) return
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers':
        'X-Request-Id, Broadgauge-Warnings, X-Percentiles, X-Results-From, Age, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
    })
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers
    if (isPreflight) await reply.code(204).headers(preflightAnswer).send()
  })
}
