import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Scope } from '../../base/caller.ts'
import type { TakeRequestSlot } from '../../base/quotas.ts'
import { type BaseUrl, pathBelow, refuseOtherMethods } from '../server/routing.ts'
import { mountRoutes, type MountOptions } from '../mount-routes.ts'
import type { SessionContext } from './define-session-route.ts'
import { consoleDocument } from './document.ts'
import { mountRedirects } from './mount-redirects.ts'
import { mountSessionRoutes } from './mount-session-routes.ts'
import { consoleRoutes, sessionRoutes } from './routes/index.ts'

export type ConsoleApiOptions = {
  readonly context: SessionContext
  /** True if callers use HTTPS, even if a proxy forwards their requests as plain HTTP. */
  readonly isPublicSecure: boolean
  /** Public URL of the data interface, or null if the operator configured only a path. */
  readonly publicBase: string | null
  /**
   * These slots are separate from the slots for API tokens, so that requests with forged cookies never compete with requests
   * of tokens.
   */
  readonly takeRequestSlot: TakeRequestSlot<Scope>
}

/** Serves the routes of the console API at `/console/api`, below the prefix of the data interface. */
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
