import apiReference from '@scalar/fastify-api-reference'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type BaseUrl, pathBelow, refuseOtherMethods } from './routing.ts'
import { docsFiles, docsPage, type DocsFile } from './docs-page.ts'
import type { MountOptions } from '../mount-routes.ts'
import { openApiDocument, type Servers } from '../openapi/document.ts'

/** Serves `/openapi.json` and `/docs` below the prefix of the data interface. They require no token and contain no data. */
export function serveDocuments(
  app: FastifyInstance,
  base: BaseUrl,
  { routes, context, servers }: MountOptions & { servers: Servers },
): void {
  const text = JSON.stringify(openApiDocument({ routes, catalog: context.catalog, servers }))
  const get = (path: string, answer: (reply: FastifyReply) => FastifyReply) => {
    const url = pathBelow(base, path)
    app.get(url, async (_request, reply) => answer(reply))
    refuseOtherMethods(app, { url }, ['GET'])
  }
  get('/openapi.json', (reply) => reply.header('content-type', 'application/json; charset=utf-8').send(text))
  for (const file of docsFiles) get(`/docs/${file.path}`, (reply) => sendFile(reply, file))
  app.register(apiReference, {
    // The plugin's type requires a literal leading slash.
    routePrefix: `/${pathBelow(base, '/docs').slice(1)}`,
    configuration: { url: '../openapi.json' },
    hooks: {
      // Replaces the plugin's own page, which has an inline script. The plugin still serves the reference's script, and still
      // redirects from `/docs` to `/docs/`.
      preHandler: ({ url }, reply, done) => {
        if (url.split('?')[0]?.endsWith('/') === true) sendFile(reply, docsPage)
        else done()
      },
    },
  })
}

const sendFile = (reply: FastifyReply, { type, policy, text }: DocsFile): FastifyReply =>
  reply.headers({ 'content-type': type, 'content-security-policy': policy }).send(text)
