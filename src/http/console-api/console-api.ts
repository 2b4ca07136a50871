import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Scope } from '../../base/caller.ts'
import type { TakeRequestSlot } from '../../base/fair-limits.ts'
import { type BaseUrl, pathBelow, refuseOtherMethods } from '../server/routing.ts'
import { mountRoutes, type MountOptions } from '../mount-routes.ts'
import type { SessionContext } from './define-session-route.ts'
import { consoleDocument } from './document.ts'
import { mountRedirects } from './mount-redirects.ts'
import { mountSessionRoutes } from './mount-session-routes.ts'
import { consoleRoutes, sessionRoutes } from './routes/index.ts'

export type ConsoleApiOptions = {
  readonly context: SessionContext
  /** Whether callers reach us over HTTPS whatever the connection to us is. */
  readonly isPublicSecure: boolean
  /** The address of the data interface as browsers know it, when it is whole. */
  readonly publicBase: string | null
  /** Apart from that of tokens: invented cookies never compete with tokens. */
  readonly takeRequestSlot: TakeRequestSlot<Scope>
}

/** `/console/api` below the prefix of the data interface. */
export function serveConsoleApi(
  app: FastifyInstance,
  dataBase: BaseUrl,
  options: MountOptions,
  { context, isPublicSecure, publicBase, takeRequestSlot }: ConsoleApiOptions,
): void {
  const base = { host: null, prefix: pathBelow(dataBase, '/console/api') }
  mountRoutes(app, { ...options, routes: consoleRoutes, bases: { console: base } })
  const isSecure = (request: FastifyRequest) => isPublicSecure || request.protocol === 'https'
  mountSessionRoutes(app, { base, routes: sessionRoutes, context, isSecure, takeRequestSlot })
  mountRedirects(app, { base, context, isSecure, publicBase, observe: options.observe })
  const text = JSON.stringify(consoleDocument({ url: '.' }))
  const url = pathBelow(base, '/openapi.json')
  app.get(url, async (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(text))
  refuseOtherMethods(app, { url }, ['GET'])
}
