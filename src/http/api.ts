import type { FastifyInstance } from 'fastify'
import { allowOrigins } from './allow-origins.ts'
import { mountRoutes, type MountOptions } from './mount-routes.ts'
import { createServer, type ServerOptions } from './server.ts'

export type ApiOptions = ServerOptions & MountOptions & { corsOrigins: readonly string[] }

/** A listener with the routes of the interfaces that have a base in `options`. */
export function createApi(options: ApiOptions): FastifyInstance {
  const app = createServer(options)
  allowOrigins(app, options.corsOrigins)
  mountRoutes(app, options)
  return app
}
