import { limits } from '../../../base/limits.ts'
import { linkLimits } from '../../../check/question/link-request.ts'
import { chartLimits } from '../../../envelope/charts/chart-option.ts'
import { linkForms } from '../../links/answer-link.ts'
import { metricAnswer } from '../data-operations.ts'
import type { DocumentedRoute, Operation, Operations } from '../operation.ts'
import type { Schema } from '../schema.ts'

/** The routes of share links, for the OpenAPI document. A link without a password needs no authentication. */
export const documentedLinks = (server: Schema): readonly DocumentedRoute[] =>
  linkForms.map(({ path }) => ({
    method: 'GET',
    path,
    tag: 'data',
    server,
    security: [{}, { linkPassword: [] }],
    needs: '',
  }))

const secret: Schema = {
  name: 'secret',
  in: 'path',
  required: true,
  description: 'Secret of the link.',
  schema: { type: 'string', pattern: '^bgq_[0-9A-Za-z]{36}$' },
}

const rules = `Runs the current version of the question, with the rights that the maker of the link has now. The 404 is the same for unknown, revoked and expired links. A link may be used ${linkLimits.requestsPerSecond} times a second; a network that asks for many links that do not work gets a 429. No parameter is accepted.`

const operation = (id: string, summary: string, description: string, own: Partial<Operation>): Operation => ({
  id,
  summary,
  description: `${description} ${rules}`,
  parameters: [secret],
  data: null,
  faults: [
    'PASSWORD_REQUIRED',
    'NOT_FOUND',
    'VALIDATION_FAIL',
    'QUERY_TOO_LARGE',
    'TOO_MANY_REQUESTS',
    'SERVICE_UNAVAILABLE',
  ],
  ...own,
})

const { data, warns, hasMeta, headers } = metricAnswer

export const linkOperations: Operations = {
  'GET /s/:secret': operation(
    'showSharedQuestion',
    'Show a shared question as a page',
    'The page has a chart, what its numbers are about, and a table. It loads nothing else. Browsers, which accept `text/html`, get errors as pages, too.',
    { contents: { 'text/html': 'A page.' } },
  ),
  'GET /s/:secret.csv': operation(
    'sharedQuestionAsCsv',
    'Read a shared question as CSV',
    `The response is complete before its first byte is sent and has a \`Content-Length\`; aggregates have at most ${limits.pointsMax} points.`,
    { contents: { 'text/csv': 'The points, as in the CSV of `GET /questions/{key}/data`.' }, headers },
  ),
  'GET /s/:secret.svg': operation(
    'sharedQuestionAsSvg',
    'Draw a shared question as SVG',
    `A picture with the title, the unit, the range, the filters and the numbers of results and agents. Answers with more than ${chartLimits.pointsMax} points and raw points are not drawn.`,
    { contents: { 'image/svg+xml': 'A picture without scripts and references.' } },
  ),
  'GET /s/:secret.json': operation(
    'sharedQuestionAsJson',
    'Read a shared question as JSON',
    'The response is that of `GET /questions/{key}/data`.',
    { data, warns, hasMeta, headers },
  ),
}
