import type { FastifyInstance } from 'fastify'
import { pathBelow, type BaseUrl } from '../base-url.ts'
import { mountRoutes, type MountOptions } from '../mount-routes.ts'
import { refuseOtherMethods } from '../refuse-other-methods.ts'
import type { SessionContext } from './define-session-route.ts'
import { consoleDocument } from './document.ts'
import { mountSessionRoutes } from './mount-session-routes.ts'
import { consoleRoutes, sessionRoutes } from './routes/index.ts'

export type ConsoleApiOptions = {
  readonly context: SessionContext
  /** Whether callers reach us over HTTPS whatever the connection to us is. */
  readonly isPublicSecure: boolean
}

/** `/console/api` below the prefix of the data interface. */
export function serveConsoleApi(
  app: FastifyInstance,
  dataBase: BaseUrl,
  options: MountOptions,
  { context, isPublicSecure }: ConsoleApiOptions,
): void {
  const base = { host: null, prefix: pathBelow(dataBase, '/console/api') }
  mountRoutes(app, { ...options, routes: consoleRoutes, bases: { console: base } })
  mountSessionRoutes(app, { base, routes: sessionRoutes, context, isPublicSecure })
  const text = JSON.stringify(consoleDocument({ url: '.' }))
  const url = pathBelow(base, '/openapi.json')
  app.get(url, async (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(text))
  refuseOtherMethods(app, { url }, ['GET'])
}
