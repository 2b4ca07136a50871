import type { FastifyInstance, FastifyRequest } from 'fastify'
import { accessDenied } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'
import type { Person } from '../../base/person.ts'
import { readSession } from '../../engine/postgres/people/sessions.ts'
import { send } from '../answer.ts'
import { pathBelow, type BaseUrl } from '../base-url.ts'
import { towardsFirstByte, withinFirstByteDeadline } from '../first-byte-deadline.ts'
import { refuseOtherMethods } from '../refuse-other-methods.ts'
import type { OpenRoute, SessionContext, SessionRoute } from './define-session-route.ts'
import { refuseOtherPeople } from './refuse-other-people.ts'
import { refuseOtherSites } from './refuse-other-sites.ts'
import { noCookie, secretIn, sessionCookie } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose session the cookie is, for routes that ask for one. */
    session: { readonly person: Person; readonly secret: string } | null
  }
}

export type SessionMountOptions = {
  readonly base: BaseUrl
  readonly routes: readonly (SessionRoute | OpenRoute)[]
  readonly context: SessionContext
  readonly isSecure: (request: FastifyRequest) => boolean
}

export function mountSessionRoutes(app: FastifyInstance, options: SessionMountOptions): void {
  app.decorateRequest('session', null)
  for (const route of options.routes) mountRoute(app, route, options)
  const paths = Map.groupBy(options.routes, ({ path }) => path)
  for (const [path, routes] of paths) {
    refuseOtherMethods(
      app,
      { url: pathBelow(options.base, path) },
      routes.map(({ method }) => method),
    )
  }
}

function mountRoute(
  app: FastifyInstance,
  route: SessionRoute | OpenRoute,
  { base, context, isSecure }: SessionMountOptions,
): void {
  app.route<{ Querystring: Record<string, unknown>; Params: Record<string, string> }>({
    url: pathBelow(base, route.path),
    method: route.method,
    config: { interface: 'console' },
    // Before the body is read, as for tokens.
    onRequest: (request, reply) =>
      towardsFirstByte(reply.raw, async () => {
        refuseOtherSites(request)
        if (route.who === 'anybody') return
        const secret = secretIn(request, isSecure(request))
        const person = secret === null ? null : await readSession(context.postgres, secret, context.sessionLimits)
        if (secret === null || person === null) throw accessDenied('no session, or no longer')
        refuseOtherPeople(request, person)
        if (route.who === 'administrator' && person.role !== 'administrator') throw accessDenied('not an administrator')
        request.session = { person, secret }
      }),
    handler: async (request, reply) => {
      const { body, query, params, session } = request
      const whence = { requestId: request.id, address: request.ip }
      const keepSecret = (secret: string | null): void => {
        const secure = isSecure(request)
        reply.header('set-cookie', secret === null ? noCookie(secure) : sessionCookie(secret, secure))
      }
      const given = { body, query, params, whence, keepSecret }
      const envelope = await withinFirstByteDeadline(reply.raw, limits.firstByteTimeoutMs, async () => {
        if (route.who === 'anybody') return route.handle(context, given)
        if (session === null) throw new Error('a route for people ran without one')
        return route.handle(context, session.person, { ...given, secret: session.secret })
      })
      return send(reply, 200, envelope)
    },
  })
}
