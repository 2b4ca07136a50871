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

export type DocumentOptions = {
  readonly routes: readonly (Route | PublicRoute)[]
  readonly catalog: Catalog
  readonly servers: Servers
}

/** Where callers find each interface. */
export type Servers = Readonly<Record<InterfaceName, Schema>>

/** The OpenAPI document of the routes, in the order of the operations; a test insists that every route has one. */
export function openApiDocument({ routes, catalog, servers }: DocumentOptions): Schema {
  const documented = routes.map((route) => documentedRoute(route, servers[route.interface]))
  return {
    openapi: '3.1.1',
    info: {
      title: 'Broadgauge',
      version,
      summary: "A broadband-measurement panel's data and its agents' metadata.",
      description:
        'Every answer is an envelope: `code`, `message`, and `data` or, for a request with faults, `errors` by field. Send the token as `Authorization: Bearer <token>`; on the data interface the bare token will do. What you may not see is answered like what does not exist.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: [
      { name: 'data', description: 'Metrics, test results and listings. Read only.' },
      { name: 'metadata', description: 'What is known of the agents, on a timeline.' },
      { name: 'ingest', description: 'Results in. Has a listener of its own.' },
    ],
    paths: describePaths(documented, operations(catalog)),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'On the data interface the bare token will do too.' },
      },
      schemas: {
        ...requestSchemas(catalog),
        ...answerSchemas(catalog),
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
  security: route.scope === null ? null : bearer,
  isCounted: route.scope !== null && route.interface !== 'ingest',
  needs: route.scope === null ? '' : `Needs a token with the scope \`${route.scope}\`.`,
})

/** What the document says of every route. A test insists that the two sets are the same. */
export const operations = (catalog: Catalog): Operations => ({
  ...listingOperations,
  ...dataOperations(catalog),
  ...exportOperations,
  ...metadataOperations,
  ...ingestOperations(catalog),
})
