import { failures, success } from './responses.ts'
import type { DocumentedRoute, Operation, Operations } from './operation.ts'
import type { Schema } from './schema.ts'

/** Describes the paths of the routes, in the order of `operations`. A test checks that every route has an operation. */
export function describePaths(routes: readonly DocumentedRoute[], operations: Operations): Schema {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [key, operation] of Object.entries(operations)) {
    const route = routes.find(({ method, path }) => `${method} ${path}` === key)
    if (route === undefined) continue
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= { servers: [route.server] }
    paths[path][route.method.toLowerCase()] = describe(route, operation)
  }
  return paths
}

function describe(route: DocumentedRoute, operation: Operation): Schema {
  const { id, summary, description, parameters, body, rows } = operation
  return {
    operationId: id,
    tags: [route.tag],
    summary,
    description: route.needs === '' ? description : `${description}\n\n${route.needs}`,
    security: route.security,
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
