import type { FastifyInstance } from 'fastify'

const preflightAnswer = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Accept, Idempotency-Key, X-Request-Id',
  'access-control-max-age': '600',
}

/**
 * Allows CORS requests from the listed origins. A preflight carries no token, so it is answered before authentication. Any
 * other OPTIONS request gets a 405. CORS credentials are not allowed: callers send tokens in a header, never in a cookie.
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
        'X-Request-Id, Broadgauge-Warnings, Broadgauge-Next, X-Percentiles, X-Results-From, Age, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
    })
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers
    if (isPreflight) await reply.code(204).headers(preflightAnswer).send()
  })
}
