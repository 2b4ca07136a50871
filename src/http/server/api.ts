import type { FastifyInstance } from 'fastify'
import { allowOrigins } from './allow-origins.ts'
import { serveConsoleApi, type ConsoleApiOptions } from '../console-api/console-api.ts'
import { serveConsole, type ConsoleOptions } from './console.ts'
import { mountLinks } from '../links/mount-links.ts'
import type { LinkGuards } from '../links/admit-visitor.ts'
import { serveDocuments } from './documents.ts'
import { mountRoutes, type MountOptions } from '../mount-routes.ts'
import type { Servers } from '../openapi/document.ts'
import { createServer, type ServerOptions } from './server.ts'

export type ApiOptions = ServerOptions &
  MountOptions & {
    corsOrigins: readonly string[]
    /** Null if this listener serves no OpenAPI document. */
    servers: Servers | null
    /** Null if this listener serves no console. */
    console: (ConsoleOptions & ConsoleApiOptions) | null
    /** Null if this listener serves no share links. */
    links: LinkGuards | null
  }

/** Creates a listener with the routes of the interfaces in `options.bases`. */
export function createApi(options: ApiOptions): FastifyInstance {
  const app = createServer(options)
  allowOrigins(app, options.corsOrigins)
  mountRoutes(app, options)
  const { bases, servers, console, links } = options
  if (bases.data !== undefined && servers !== null) serveDocuments(app, bases.data, { ...options, servers })
  if (bases.data !== undefined && links !== null) mountLinks(app, bases.data, { ...options, guards: links })
  if (bases.data !== undefined && console !== null) {
    serveConsole(app, bases.data, console)
    serveConsoleApi(app, bases.data, options, console)
  }
  return app
}
