import { limits } from '../../../base/limits.ts'
import { questionLimits } from '../../../check/question/content.ts'
import { metricAnswer } from '../data-operations.ts'
import { linkLimits } from '../../../check/question/link-request.ts'
import { bodyFaults, idempotencyKey, query, type Operations } from '../operation.ts'
import { responseFormat } from '../request-schemas.ts'
import { integer, listOf, record, reference, text, type Schema } from '../schema.ts'

const key: Schema = {
  name: 'key',
  in: 'path',
  required: true,
  description: 'Key of a question.',
  schema: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$' },
}

const version = query('version', 'A former version of the question. Default: the current one.', {
  type: 'integer',
  minimum: 1,
})

/** The names of the parameters of a question are ids of dimensions, so they are one object. */
const named: Schema = {
  ...query(
    'filters',
    'The parameters of the question, such as `isp=Northnet`, each of which may be repeated. A parameter replaces the filters of the request by the same dimension.',
    { type: 'object', additionalProperties: listOf({ type: 'string' }) },
  ),
  style: 'form',
  explode: true,
}

const { questionsMax, versionsMax, rawBytesMax } = questionLimits

const { linksMax, expiredDays } = linkLimits

const linkOperations: Operations = {
  'GET /questions/:key/links': {
    id: 'listQuestionLinks',
    summary: 'List the share links of a question',
    description: `Lists the newest link first, without its secret. Expired links are listed for ${expiredDays} days.`,
    parameters: [key],
    data: listOf(reference('QuestionLink')),
    faults: [],
  },
  'POST /questions/:key/links': {
    id: 'createQuestionLink',
    summary: 'Create a share link of a question',
    description: `Everyone who knows the link reads the answer of the question, with the rights that its maker has at that time. The link ends when it is revoked or expires, when the question is deleted, when the token that made it is revoked or expires, and, for the token of a session, when the user is disabled. A question may have ${linksMax} links. The token also needs the scope \`data:read\`.`,
    parameters: [key],
    body: {
      schema: reference('QuestionLinkRequest'),
      examples: { 'for a month': { label: 'for the ministry', expires_at: '2099-01-31T00:00:00Z' } },
    },
    data: record({
      id: integer('Number of the link.'),
      path: text('Path of the link, below the address of the data interface. Only this response contains it.', {
        pattern: '^/s/bgq_[0-9A-Za-z]{36}$',
      }),
    }),
    faults: bodyFaults,
  },
  'DELETE /questions/:key/links/:id': {
    id: 'revokeQuestionLink',
    summary: 'Revoke a share link of a question',
    description: 'The link does not work from the next request on.',
    parameters: [
      key,
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'Number of a link.',
        schema: { type: 'integer', minimum: 1 },
      },
      idempotencyKey('A retry with the same key within 24 hours gets the same response.'),
    ],
    data: null,
    faults: [...bodyFaults, 'CONFLICT'],
  },
}

export const questionOperations: Operations = {
  'GET /questions': {
    id: 'listQuestions',
    summary: 'List the saved questions of the organisation',
    description: 'Lists the current version of each question, ordered by key.',
    data: listOf(reference('ListedQuestion')),
    faults: [],
  },
  'GET /questions/:key': {
    id: 'readQuestion',
    summary: 'Read a saved question',
    description:
      'The 404 is the same for a question of another organisation and for one that does not exist. An unknown version gets a 404, too.',
    parameters: [key, version],
    data: reference('Question'),
    faults: ['VALIDATION_FAIL'],
  },
  'PUT /questions/:key': {
    id: 'saveQuestion',
    summary: 'Save a question',
    description: `Creates the question or adds a version to it. The former versions stay. A body that changes nothing adds no version. The service checks \`request\` as \`POST /metric_data\` does. An organisation may have ${questionsMax} questions with ${versionsMax} versions each.`,
    parameters: [key, idempotencyKey('A retry with the same key and body within 24 hours does not repeat the change.')],
    body: {
      schema: reference('QuestionContent'),
      examples: {
        'download speed of an ISP': {
          name: 'Download speed',
          description: 'Daily download speed of the last 30 days.',
          request: {
            metric: 'httpget',
            chartType: 'aggregate',
            aggregation: 'daily',
            normalised: false,
            prefilter: true,
            time: { from: '-30 days', to: 'now' },
          },
          parameters: ['isp'],
          chart: { kind: 'line', statistic: 'metricValue' },
          tags: ['weekly report'],
        },
      },
    },
    data: record({ key: text('Key of the question.'), version: integer('The current version.', { minimum: 1 }) }),
    faults: [...bodyFaults, 'CONFLICT'],
  },
  'DELETE /questions/:key': {
    id: 'deleteQuestion',
    summary: 'Delete a question with all its versions',
    description: 'Afterwards, the key can be used for another question, which begins with version 1.',
    parameters: [key, idempotencyKey('A retry with the same key within 24 hours gets the same response.')],
    data: null,
    // The route needs no body. But if a request has one, the service parses it, so these errors are possible.
    faults: [...bodyFaults, 'CONFLICT'],
  },
  'GET /questions/:key/versions': {
    id: 'listQuestionVersions',
    summary: 'List the versions of a question',
    description: 'Lists the newest version first.',
    parameters: [key],
    data: listOf(reference('QuestionVersion')),
    faults: [],
  },
  'GET /questions/:key/data': {
    id: 'runQuestion',
    summary: 'Run a question',
    description: `Answers as \`POST /metric_data\` with the request of the question, with the rights of the caller. Unknown parameters are refused. The response is complete before its first byte is sent and has a \`Content-Length\`; aggregates have at most ${limits.pointsMax} points, and raw points at most ${rawBytesMax} bytes. An invalid field of the saved request is named \`request[…]\`.`,
    parameters: [
      key,
      query('from', 'Replaces `time.from` of the request.', { type: 'string' }),
      query('to', 'Replaces `time.to` of the request.', { type: 'string' }),
      query('format', 'Format of the response.', responseFormat),
      version,
      named,
    ],
    ...metricAnswer,
    faults: ['VALIDATION_FAIL', 'QUERY_TOO_LARGE'],
  },
  ...linkOperations,
}
