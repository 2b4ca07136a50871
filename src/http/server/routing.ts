import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { Fault } from '../../base/fault.ts'

/** Returns the host name in lower case, without a default port and without a trailing dot. */
export const normalHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/:(80|443)$/, '')
    .replace(/\.$/, '')

type Constraints = NonNullable<NonNullable<FastifyServerOptions['routerOptions']>['constraints']>
type Strategy = Constraints[string]
type Handler = ReturnType<ReturnType<Strategy['storage']>['get']>

/** Routes by host name. Fastify's own host constraint compares the header literally. */
export const hostConstraint: Strategy = {
  name: 'host',
  storage: () => {
    const handlers = new Map<string, Handler>()
    return {
      get: (host) => handlers.get(host) ?? null,
      set: (host, handler) => void handlers.set(host, handler),
    }
  },
  deriveConstraint: ({ headers }) => normalHost(headers.host ?? ''),
  validate: () => true,
  mustMatchWhenDerived: false,
}

/** `host` is null if the interface has no host name of its own. */
export type BaseUrl = { host: string | null; prefix: string }

export const pathBelow = ({ prefix }: BaseUrl, path: string): string => `${prefix === '/' ? '' : prefix}${path}`

/** URLs that keep their trailing slash, because the relative links of the page need it. */
const pages = /\/(console|docs)\/$/

/**
 * Removes repeated and trailing slashes from a request's URL. Callers append `/metrics` to a base URL that ends in a slash, or
 * add a slash to a path.
 */
export function plainPath(url: string): string {
  const end = url.indexOf('?') === -1 ? url.length : url.indexOf('?')
  const path = url.slice(0, end)
  // `http://host/path` and `*` are also valid request targets. They are not changed.
  if (!path.startsWith('/') || !(path.includes('//') || path.endsWith('/'))) return url
  const single = path.replaceAll(/\/{2,}/g, '/')
  const isCut = single.length > 1 && single.endsWith('/') && !isPage(single)
  return (isCut ? single.slice(0, -1) : single) + url.slice(end)
}

/** Decodes escapes like the router does. Otherwise the redirect to the page would loop. */
function isPage(path: string): boolean {
  try {
    return pages.test(decodeURIComponent(path))
  } catch {
    return false
  }
}

export type Place = { url: string; constraints?: { host: string } }

/** Responds with 405 to all other methods on a path, before Fastify reads the body. */
export function refuseOtherMethods(app: FastifyInstance, place: Place, methods: readonly string[]): void {
  const allowed = new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))
  const refusal = async () => {
    throw new Fault('METHOD_NOT_ALLOWED', { headers: { allow: [...allowed].toSorted().join(', ') } })
  }
  app.route({
    ...place,
    method: app.supportedMethods.filter((method) => !allowed.has(method)),
    onRequest: refusal,
    handler: refusal,
  })
}
