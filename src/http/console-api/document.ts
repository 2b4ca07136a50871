import { describePaths } from '../openapi/describe-paths.ts'
import { documentedRoute } from '../openapi/document.ts'
import type { DocumentedRoute } from '../openapi/operation.ts'
import { failureResponses, failureSchemas } from '../openapi/responses.ts'
import type { Schema } from '../openapi/schema.ts'
import { version } from '../openapi/version.ts'
import type { OpenRoute, SessionRoute } from './define-session-route.ts'
import { redirectPaths } from './mount-redirects.ts'
import { consoleOperations } from './operations.ts'
import { consoleRoutes, sessionRoutes } from './routes/index.ts'
import { consoleSchemas } from './schemas.ts'

const needs: Record<(SessionRoute | OpenRoute)['who'], string> = {
  anybody: '',
  person: 'Needs a session.',
  administrator: 'Needs the session of an administrator.',
}

/** What the console needs beyond the two interfaces, in a document of its own. */
export function consoleDocument(server: Schema): Schema {
  const byCookie = sessionRoutes.map(({ method, path, who }): DocumentedRoute => {
    return {
      method,
      path,
      tag: 'people',
      server,
      security: who === 'anybody' ? null : { session: [] },
      needs: needs[who],
    }
  })
  const byVisit = redirectPaths.map((path): DocumentedRoute => {
    return { method: 'GET', path, tag: 'people', server, security: null, needs: '' }
  })
  const byToken = consoleRoutes.map((route) => documentedRoute(route, server))
  return {
    openapi: '3.1.1',
    info: {
      title: 'Broadgauge console',
      version,
      summary: 'What the console needs beyond the data and metadata interfaces.',
      description:
        'For the console; programs use the two interfaces with a token. Answers and errors are the same envelope. It may change with the console.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: [
      { name: 'people', description: 'Sessions of people, and what administrators do with tokens.' },
      { name: 'console', description: 'Lists the console offers to choose from.' },
    ],
    paths: describePaths([...byCookie, ...byVisit, ...byToken], consoleOperations),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token, as on the metadata interface.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-broadgauge',
          description: 'Set by signing in; `broadgauge` over plain HTTP.',
        },
      },
      schemas: { ...consoleSchemas, ...failureSchemas },
      responses: failureResponses,
    },
  }
}
