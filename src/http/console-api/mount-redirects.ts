import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault, isAway } from '../../base/fault.ts'
import type { Observe } from '../../base/observe.ts'
import type { RedirectProvider } from '../../engine/identity/identity-provider.ts'
import { beginSession, endFormerSession } from '../../engine/postgres/people/sessions.ts'
import { observeFault } from '../answer.ts'
import { type BaseUrl, pathBelow, refuseOtherMethods } from '../server/routing.ts'
import type { SessionContext } from './define-session-route.ts'
import { secretHashIn, sessionCookie } from './cookies.ts'
import { memoryCookie, memoryIn, noMemory } from './sign-in-memory.ts'

export type RedirectOptions = {
  readonly base: BaseUrl
  readonly context: SessionContext
  readonly isSecure: (request: FastifyRequest) => boolean
  /** The address of the data interface as browsers know it, when it is whole. */
  readonly publicBase: string | null
  readonly observe: Observe
}

type Params = { Params: { provider: string } }

export const redirectPaths = ['/sign-in/:provider', '/sign-in/:provider/callback'] as const

/** The two that a browser visits itself: on the way to another sign-in, and on the way back, which is from another site. */
export function mountRedirects(app: FastifyInstance, options: RedirectOptions): void {
  const { base, context, isSecure, observe } = options
  const [away, back] = redirectPaths
  const providerOf = ({ provider: key }: { provider: string }): RedirectProvider => {
    const found = context.providers.redirects.find((one) => one.key === key)
    if (found === undefined) throw new Fault('NOT_FOUND', { detail: 'no such sign-in' })
    return found
  }
  app.get<Params>(pathBelow(base, away), { config: { interface: 'console' } }, async (request, reply) => {
    const provider = providerOf(request.params)
    const begun = await provider.begin(returnUrl(request, provider, options)).catch((error: unknown) => {
      if (!isAway(error)) throw error
      return turnedBack(observe, request, provider, error)
    })
    if ('place' in begun) return reply.redirect(`../../${begun.place}`, 302)
    const secure = isSecure(request)
    const remembered = { memory: begun.memory, formerHash: secretHashIn(request, secure) }
    return reply.header('set-cookie', memoryCookie(provider.key, remembered, secure)).redirect(begun.location, 302)
  })
  app.get<Params>(pathBelow(base, back), { config: { interface: 'console' } }, async (request, reply) => {
    const provider = providerOf(request.params)
    const secure = isSecure(request)
    reply.header('set-cookie', noMemory(secure))
    const completed = await complete(request, provider, options).catch((error: unknown) =>
      turnedBack(observe, request, provider, error),
    )
    if ('place' in completed) return reply.redirect(`../../../${completed.place}`, 302)
    return reply.header('set-cookie', sessionCookie(completed.secret, secure)).redirect('../../../', 302)
  })
  for (const path of redirectPaths) refuseOtherMethods(app, { url: pathBelow(base, path) }, ['GET'])
}

/**
 * Where in the console a person is told that they are not let in, and whether it is worth trying again: a browser has no
 * use for an answer in JSON. Whatever was wrong is the log's to know.
 */
function turnedBack(observe: Observe, request: FastifyRequest, { key }: RedirectProvider, error: unknown): TurnedBack {
  const isTooOften = error instanceof Fault && error.code === 'TOO_MANY_REQUESTS'
  const isPassing = isTooOften || isAway(error)
  const fault = isPassing ? error : new Fault('ACCESS_DENIED', { detail: `sign-in refused: ${String(error)}` })
  observeFault(observe, request, fault)
  return { place: `#/explore?${isTooOften ? 'often' : isPassing ? 'away' : 'refused'}=${key}` }
}

type TurnedBack = { readonly place: string }

/** A new session, in the place of the one the browser had. */
async function complete(
  request: FastifyRequest,
  provider: RedirectProvider,
  options: RedirectOptions,
): Promise<{ readonly secret: string }> {
  const secure = options.isSecure(request)
  const remembered = memoryIn(request, provider.key, secure)
  if (remembered === null) throw new Error('the browser remembers no sign-in, or another')
  const arrived = new URL(returnUrl(request, provider, options))
  arrived.search = new URL(request.url, 'http://unused').search
  const identity = await provider.complete(arrived, remembered.memory)
  const { postgres, sessionLimits } = options.context
  const whence = { requestId: request.id, address: request.ip }
  const secret = identity && (await beginSession(postgres, identity, sessionLimits, whence))
  if (secret === null) throw new Error('nobody of ours, or no longer')
  const formerHash = secretHashIn(request, secure) ?? remembered.formerHash
  await endFormerSession(postgres, formerHash, sessionLimits, whence)
  return { secret }
}

/** As it is registered with the provider, which sends people nowhere else. */
function returnUrl(request: FastifyRequest, { key }: RedirectProvider, options: RedirectOptions): string {
  const path = `/sign-in/${key}/callback`
  if (options.publicBase !== null) return `${options.publicBase.replace(/\/$/, '')}/console/api${path}`
  return `${options.isSecure(request) ? 'https' : 'http'}://${request.host}${pathBelow(options.base, path)}`
}
