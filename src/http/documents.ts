import apiReference from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { pathBelow, type BaseUrl } from './base-url.ts'
import type { MountOptions } from './mount-routes.ts'
import { openApiDocument, type Servers } from './openapi/document.ts'
import { refuseOtherMethods } from './refuse-other-methods.ts'

/** Everything the page needs comes from here; without this it would ask others for fonts, and tell them who reads. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `/openapi.json` and, for people, `/docs`, below the prefix of the data interface. They need no token and hold no data. */
export function serveDocuments(
  app: FastifyInstance,
  base: BaseUrl,
  { routes, context, servers }: MountOptions & { servers: Servers },
): void {
  const text = JSON.stringify(openApiDocument({ routes, catalog: context.catalog, servers }))
  const url = pathBelow(base, '/openapi.json')
  app.get(url, async (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(text))
  refuseOtherMethods(app, { url }, ['GET'])
  app.register(apiReference, {
    // The plugin's type wants to see the slash.
    routePrefix: `/${pathBelow(base, '/docs').slice(1)}`,
    configuration: {
      url: '../openapi.json',
      pageTitle: 'Broadgauge API',
      withDefaultFonts: false,
      telemetry: false,
      // Each of these leads to a service of the page's makers.
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
    hooks: {
      onRequest: (_request, reply, done) => {
        reply.header('content-security-policy', pagePolicy)
        done()
      },
    },
  })
}
