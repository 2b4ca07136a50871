import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Scope } from '../../base/caller.ts'
import type { TakeRequestSlot } from '../../base/quotas.ts'
import { accessDenied } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'
import { networkOf } from '../../base/network-of.ts'
import type { Person } from '../../base/person.ts'
import { readSession } from '../../engine/postgres/people/sessions.ts'
import { send } from '../answer.ts'
import { type BaseUrl, pathBelow, refuseOtherMethods } from '../server/routing.ts'
import { holdSlot, tookLong } from '../identify.ts'
import { towardsFirstByte, withinFirstByteDeadline } from '../first-byte-deadline.ts'
import type { OpenRoute, SessionContext, SessionRoute } from './define-session-route.ts'
import { deviceCookie, deviceIn, noCookie, secretHashIn, secretIn, sessionCookie } from './cookies.ts'
import { refuseOtherPeople, refuseOtherSites } from './refuse-foreign-requests.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of the cookie. Null on routes that require no session. */
    session: { readonly person: Person; readonly secret: string } | null
  }
}

export type SessionMountOptions = {
  readonly base: BaseUrl
  readonly routes: readonly (SessionRoute | OpenRoute)[]
  readonly context: SessionContext
  readonly isSecure: (request: FastifyRequest) => boolean
  readonly takeRequestSlot: TakeRequestSlot<Scope>
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

function mountRoute(app: FastifyInstance, route: SessionRoute | OpenRoute, options: SessionMountOptions): void {
  const { base, context, isSecure, takeRequestSlot } = options
  const takeSlot = (request: FastifyRequest, reply: FastifyReply, credential: string) =>
    holdSlot(takeRequestSlot({ credential, network: networkOf(request.ip) }), request, reply)
  app.route<{ Querystring: Record<string, unknown>; Params: Record<string, string> }>({
    url: pathBelow(base, route.path),
    method: route.method,
    config: { interface: 'console' },
    bodyLimit: limits.sessionBodyBytesMax,
    // Check the session before Fastify reads the body, as the other interfaces do with tokens.
    onRequest: (request, reply) =>
      towardsFirstByte(reply.raw, async () => {
        refuseOtherSites(request)
        if (route.who === 'public') return
        const slot = takeSlot(request, reply, secretIn(request, isSecure(request)) ?? '')
        await slot.identify(async () => {
          request.session = await readOwner(request, route, options)
          return request.session.person
        })
        request.admittedAt = performance.now()
      }),
    handler: async (request, reply) => {
      const { body, query, params, admittedAt } = request
      const origin = { requestId: request.id, address: request.ip }
      const secure = isSecure(request)
      const keepSecret = (secret: string | null): void => {
        reply.header('set-cookie', secret === null ? noCookie(secure) : sessionCookie(secret, secure))
      }
      const device = deviceIn(request, secure)
      const keepDevice = (passwordHash: string): void => {
        reply.header('set-cookie', deviceCookie(device, passwordHash, secure))
      }
      const given = { body, query, params, origin, device, keepDevice, keepSecret }
      const envelope = await withinFirstByteDeadline(reply.raw, limits.firstByteTimeoutMs, async () => {
        if (route.who === 'public') {
          // Take the slot only after the body has arrived: otherwise senders of slow bodies could hold all slots.
          takeSlot(request, reply, '')
          return route.handle(context, { ...given, formerHash: secretHashIn(request, secure) })
        }
        const session = tookLong(admittedAt) ? await readOwner(request, route, options) : request.session
        if (session === null) throw new Error('a route for people ran without one')
        return route.handle(context, session.person, { ...given, secret: session.secret })
      })
      return send(reply, 200, envelope)
    },
  })
}

/** Reads the session of the cookie. Throws if there is no session, or if the person may not use the route. */
async function readOwner(
  request: FastifyRequest,
  route: SessionRoute,
  { context, isSecure }: SessionMountOptions,
): Promise<{ person: Person; secret: string }> {
  const secret = secretIn(request, isSecure(request))
  const person = secret === null ? null : await readSession(context.postgres, secret, context.sessionLimits)
  if (secret === null || person === null) throw accessDenied('no session, or no longer')
  refuseOtherPeople(request, person)
  if (route.who === 'administrator' && person.role !== 'administrator') throw accessDenied('not an administrator')
  return { person, secret }
}
