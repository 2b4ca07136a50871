import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault, isUnavailable } from '../../base/fault.ts'
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
  /** Public URL of the data interface, or null if the operator configured only a path. */
  readonly publicBase: string | null
  readonly observe: Observe
}

type Params = { Params: { provider: string } }

export const redirectPaths = ['/sign-in/:provider', '/sign-in/:provider/callback'] as const

/**
 * Mounts the two routes that a browser navigates to. One redirects to the identity provider; the other is the provider's
 * callback.
 */
export function mountRedirects(app: FastifyInstance, options: RedirectOptions): void {
  const { base, context, isSecure, observe } = options
  const [startPath, callbackPath] = redirectPaths
  const providerOf = ({ provider: key }: { provider: string }): RedirectProvider => {
    const found = context.providers.redirects.find((one) => one.key === key)
    if (found === undefined) throw new Fault('NOT_FOUND', { detail: 'no such sign-in' })
    return found
  }
  app.get<Params>(pathBelow(base, startPath), { config: { interface: 'console' } }, async (request, reply) => {
    const provider = providerOf(request.params)
    const begun = await provider.begin(returnUrl(request, provider, options)).catch((error: unknown) => {
      if (!isUnavailable(error)) throw error
      return signInFailed(observe, request, provider, error)
    })
    if ('fragment' in begun) return reply.redirect(`../../${begun.fragment}`, 302)
    const secure = isSecure(request)
    const remembered = { memory: begun.memory, formerHash: secretHashIn(request, secure) }
    return reply.header('set-cookie', memoryCookie(provider.key, remembered, secure)).redirect(begun.location, 302)
  })
  app.get<Params>(pathBelow(base, callbackPath), { config: { interface: 'console' } }, async (request, reply) => {
    const provider = providerOf(request.params)
    const secure = isSecure(request)
    reply.header('set-cookie', noMemory(secure))
    const completed = await complete(request, provider, options).catch((error: unknown) =>
      signInFailed(observe, request, provider, error),
    )
    if ('fragment' in completed) return reply.redirect(`../../../${completed.fragment}`, 302)
    return reply.header('set-cookie', sessionCookie(completed.secret, secure)).redirect('../../../', 302)
  })
  for (const path of redirectPaths) refuseOtherMethods(app, { url: pathBelow(base, path) }, ['GET'])
}

/**
 * Returns the address of a console page for a failed sign-in. The page says whether the user should try again. The browser
 * would display a JSON error as plain text. The reason is written only to the log.
 */
function signInFailed(
  observe: Observe,
  request: FastifyRequest,
  { key }: RedirectProvider,
  error: unknown,
): FailedSignIn {
  const isTooOften = error instanceof Fault && error.code === 'TOO_MANY_REQUESTS'
  const isPassing = isTooOften || isUnavailable(error)
  const fault = isPassing ? error : new Fault('ACCESS_DENIED', { detail: `sign-in refused: ${String(error)}` })
  observeFault(observe, request, fault)
  return { fragment: `#/explore?${isTooOften ? 'often' : isPassing ? 'unavailable' : 'refused'}=${key}` }
}

type FailedSignIn = { readonly fragment: string }

/** Begins a session and ends the former session of this browser. */
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
  const origin = { requestId: request.id, address: request.ip }
  const secret = identity && (await beginSession(postgres, identity, sessionLimits, origin))
  if (secret === null) throw new Error('no user of this organisation')
  const formerHash = secretHashIn(request, secure) ?? remembered.formerHash
  await endFormerSession(postgres, formerHash, sessionLimits, origin)
  return { secret }
}

/** Must equal the redirect URI that is registered with the provider: the provider redirects to no other URI. */
function returnUrl(request: FastifyRequest, { key }: RedirectProvider, options: RedirectOptions): string {
  const path = `/sign-in/${key}/callback`
  if (options.publicBase !== null) return `${options.publicBase.replace(/\/$/, '')}/console/api${path}`
  return `${options.isSecure(request) ? 'https' : 'http'}://${request.host}${pathBelow(options.base, path)}`
}
