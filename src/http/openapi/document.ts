import type { Catalog } from '../../catalog/catalog.ts'
import type { InterfaceName, PublicRoute, Route } from '../define-route.ts'
import { answerSchemas } from './answer-schemas.ts'
import { describePaths } from './describe-paths.ts'
import type { DocumentedRoute, Operations } from './operation.ts'
import { requestSchemas } from './request-schemas.ts'
import { failureResponses, failureSchemas } from './responses.ts'
import type { Schema } from './schema.ts'
import { version } from './version.ts'
import { dataOperations } from './data-operations.ts'
import { exportOperations } from './export-operations.ts'
import { ingestOperations } from './ingest-operations.ts'
import { listingOperations } from './listing-operations.ts'
import { metadataOperations } from './metadata-operations.ts'
import { documentedLinks, linkOperations } from './questions/link-operations.ts'
import { questionOperations } from './questions/question-operations.ts'
import { questionSchemas } from './questions/question-schemas.ts'

export type DocumentOptions = {
  readonly routes: readonly (Route | PublicRoute)[]
  readonly catalog: Catalog
  readonly servers: Servers
}

/** The OpenAPI server object of each interface. */
export type Servers = Readonly<Record<InterfaceName, Schema>>

/** Builds the OpenAPI document. Its paths are in the order of the operations. */
export function openApiDocument({ routes, catalog, servers }: DocumentOptions): Schema {
  const documented = [
    ...routes.map((route) => documentedRoute(route, servers[route.interface])),
    ...documentedLinks(servers.data),
  ]
  return {
    openapi: '3.1.1',
    info: {
      title: 'Broadgauge',
      version,
      summary: "A broadband-measurement panel's data and its agents' metadata.",
      description:
        'Every response is an envelope with `code`, `message`, and `data` or, for an invalid request, `errors` by field. Send the token as `Authorization: Bearer <token>`; the data interface also accepts the token without `Bearer`. The response for an object that you may not see is the same as for an object that does not exist.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: [
      { name: 'data', description: 'Metrics, test results, listings and exports.' },
      { name: 'metadata', description: 'Metadata of the agents, with the timeline of each agent.' },
      { name: 'ingest', description: 'Storing of results. This interface has a separate listener.' },
    ],
    paths: describePaths(documented, operations(catalog)),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The data interface also accepts the token without `Bearer`.',
        },
        linkPassword: {
          type: 'http',
          scheme: 'basic',
          description: 'The password of a share link, with any user name. Most links need none.',
        },
      },
      schemas: {
        ...requestSchemas(catalog),
        ...answerSchemas(catalog),
        ...questionSchemas,
        ...failureSchemas,
      },
      responses: failureResponses,
    },
  }
}

const bearer: Schema = { bearer: [] }

export const documentedRoute = (route: Route | PublicRoute, server: Schema): DocumentedRoute => ({
  method: route.method,
  path: route.path,
  tag: route.interface,
  server,
  security: route.scope === null ? [] : [bearer],
  isCounted: route.scope !== null && route.interface !== 'ingest',
  needs: route.scope === null ? '' : `Needs a token with the scope \`${route.scope}\`.`,
})

/** The operation of each route. A test checks that every route has one and that every operation has a route. */
export const operations = (catalog: Catalog): Operations => ({
  ...listingOperations,
  ...dataOperations(catalog),
  ...exportOperations,
  ...questionOperations,
  ...linkOperations,
  ...metadataOperations,
  ...ingestOperations(catalog),
})
