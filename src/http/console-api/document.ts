import { catalog } from '../../catalog/catalog.ts'
import { answerSchemas } from '../openapi/answer-schemas.ts'
import { describePaths } from '../openapi/describe-paths.ts'
import { documentedRoute } from '../openapi/document.ts'
import type { DocumentedRoute } from '../openapi/operation.ts'
import { questionSchemas } from '../openapi/questions/question-schemas.ts'
import { requestSchemas } from '../openapi/request-schemas.ts'
import { failureResponses, failureSchemas } from '../openapi/responses.ts'
import type { Schema } from '../openapi/schema.ts'
import { version } from '../openapi/version.ts'
import type { OpenRoute, SessionRoute } from './define-session-route.ts'
import { redirectPaths } from './mount-redirects.ts'
import { consoleOperations } from './operations.ts'
import { consoleRoutes, sessionRoutes } from './routes/index.ts'
import { consoleSchemas } from './schemas.ts'

const needs: Record<(SessionRoute | OpenRoute)['who'], string> = {
  public: '',
  person: 'Needs a session.',
  administrator: 'Needs the session of an administrator.',
}

/** The OpenAPI document of the console API. The data and metadata interfaces have another document. */
export function consoleDocument(server: Schema): Schema {
  const byCookie = sessionRoutes.map(({ method, path, who }): DocumentedRoute => {
    return {
      method,
      path,
      tag: 'people',
      server,
      security: who === 'public' ? [] : [{ session: [] }],
      needs: needs[who],
    }
  })
  const byVisit = redirectPaths.map((path): DocumentedRoute => {
    return { method: 'GET', path, tag: 'people', server, security: [], needs: '' }
  })
  const byToken = consoleRoutes.map((route) => documentedRoute(route, server))
  return {
    openapi: '3.1.1',
    info: {
      title: 'Broadgauge console',
      version,
      summary: 'Endpoints for the console, in addition to the data and metadata interfaces.',
      description:
        'This interface is only for the console; programs use the data and metadata interfaces with a token. Responses and errors have the same envelope as there. This interface may change with the console.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: [
      { name: 'people', description: 'Sessions of users, and the management of tokens by administrators.' },
      { name: 'console', description: 'Lists from which users of the console choose.' },
    ],
    paths: describePaths([...byCookie, ...byVisit, ...byToken], consoleOperations),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token, as on the metadata interface.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-broadgauge',
          description: 'A sign-in sets this cookie. Over plain HTTP its name is `broadgauge`.',
        },
      },
      schemas: {
        ...consoleSchemas,
        ...requestSchemas(catalog),
        ...answerSchemas(catalog),
        ...questionSchemas,
        ...failureSchemas,
      },
      responses: failureResponses,
    },
  }
}
