import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { Fault } from '../../base/fault.ts'

/** A host name as names are compared: without case, default port and final dot. */
export const normalHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/:(80|443)$/, '')
    .replace(/\.$/, '')

type Constraints = NonNullable<NonNullable<FastifyServerOptions['routerOptions']>['constraints']>
type Strategy = Constraints[string]
type Handler = ReturnType<ReturnType<Strategy['storage']>['get']>

/** Lets routes be told apart by host name; Fastify's own way compares letter by letter. */
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

/** Where an interface is found: a path prefix, and a host name when it has one of its own. */
export type BaseUrl = { host: string | null; prefix: string }

/** A path of the interface, as it is asked for. */
export const pathBelow = ({ prefix }: BaseUrl, path: string): string => `${prefix === '/' ? '' : prefix}${path}`

/** Pages whose relative links need the slash at the end of their address. */
const pages = /\/(console|docs)\/$/

/**
 * The address of a request without repeated slashes and without one at its end: whoever appends `/metrics` to a base address
 * that ends in a slash, or ends a path with one, means the same.
 */
export function plainPath(url: string): string {
  const end = url.indexOf('?') === -1 ? url.length : url.indexOf('?')
  const path = url.slice(0, end)
  // `http://host/path` and `*` are forms of their own.
  if (!path.startsWith('/') || !(path.includes('//') || path.endsWith('/'))) return url
  const single = path.replaceAll(/\/{2,}/g, '/')
  const isCut = single.length > 1 && single.endsWith('/') && !isPage(single)
  return (isCut ? single.slice(0, -1) : single) + url.slice(end)
}

/** Also with escapes: the router decodes them, and a redirect to the page would lead back here. */
function isPage(path: string): boolean {
  try {
    return pages.test(decodeURIComponent(path))
  } catch {
    return false
  }
}

export type Place = { url: string; constraints?: { host: string } }

/** Answers 405 to every method a path does not have, before the body is read. */
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
