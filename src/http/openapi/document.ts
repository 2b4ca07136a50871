import { faultTable } from '../../base/fault.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { InterfaceName, PublicRoute, Route } from '../define-route.ts'
import { answerSchemas } from './answer-schemas.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { requestSchemas } from './request-schemas.ts'
import { failures, failureSchemas, faultResponse, success } from './responses.ts'
import type { Schema } from './schema.ts'
import { version } from './version.ts'

export type DocumentOptions = {
  readonly routes: readonly (Route | PublicRoute)[]
  readonly catalog: Catalog
  readonly servers: Servers
}

/** Where callers find each interface. */
export type Servers = Readonly<Record<InterfaceName, Schema>>

/** The OpenAPI document of the routes, in the order of the operations; a test insists that every route has one. */
export function openApiDocument({ routes, catalog, servers }: DocumentOptions): Schema {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [key, operation] of Object.entries(operations(catalog))) {
    const route = routes.find(({ method, path }) => `${method} ${path}` === key)
    if (route === undefined) continue
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= { servers: [servers[route.interface]] }
    paths[path][route.method.toLowerCase()] = describe(route, operation)
  }
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
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'On the data interface the bare token will do too.' },
      },
      schemas: {
        ...requestSchemas(catalog),
        ...answerSchemas(catalog),
        ...failureSchemas,
      },
      responses: Object.fromEntries(
        Object.entries(faultTable).map(([code, { message }]) => [code, faultResponse(code, message)]),
      ),
    },
  }
}

function describe(route: Route | PublicRoute, operation: Operation): Schema {
  const { id, summary, description, parameters, body, rows } = operation
  return {
    operationId: id,
    tags: [route.interface],
    summary,
    description:
      route.scope === null ? description : `${description}\n\nNeeds a token with the scope \`${route.scope}\`.`,
    security: route.scope === null ? [] : [{ bearer: [] }],
    ...(parameters === undefined ? {} : { parameters }),
    ...requestBody(body, rows),
    responses: { ...success(route, operation), ...failures(route, operation.faults) },
  }
}

function requestBody(body: Operation['body'], rows: Operation['rows']): Schema {
  if (rows !== undefined) {
    const content = Object.entries(rows).map(([type, description]) => [
      type,
      { schema: { type: 'string', description } },
    ])
    return { requestBody: { required: true, content: Object.fromEntries(content) } }
  }
  if (body === undefined) return {}
  const examples = Object.fromEntries(Object.entries(body.examples).map(([name, value]) => [name, { value }]))
  return { requestBody: { required: true, content: { 'application/json': { schema: body.schema, examples } } } }
}
