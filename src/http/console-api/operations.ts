import { limits } from '../../base/limits.ts'
import { query, type Operations } from '../openapi/operation.ts'
import { questionOperations } from '../openapi/questions/question-operations.ts'
import { listOf, reference } from '../openapi/schema.ts'
import { checked, listLimit } from './own-page.ts'
import { sessionOperations } from './session-operations.ts'
import { tokenOperations } from './token-operations.ts'

/** Describes the operations of the console API for its OpenAPI document. */
export const consoleOperations: Operations = {
  ...sessionOperations,
  ...tokenOperations,
  'GET /panels': {
    id: 'listPanels',
    summary: 'List the panels that the organisation can read',
    description: 'Lists the panels that the organisation owns or is subscribed to.',
    data: listOf(reference('Panel')),
    faults: checked,
  },
  'GET /downloads': {
    id: 'listDownloads',
    summary: 'List the exports of the organisation',
    description:
      'Lists the exports that have not expired, the newest first. `GET /downloads/{id}` of the data interface returns the link to a file.',
    parameters: [listLimit],
    data: listOf(reference('ListedDownload')),
    faults: checked,
  },
  'GET /agents': {
    id: 'searchAgents',
    summary: 'Search agents by an identifier',
    description:
      'Finds the agents whose agent id or MAC address begins with the text, or whose unit number equals it. Punctuation and case are ignored.',
    parameters: [
      {
        ...query('search', 'Beginning of an agent id or MAC address, or a complete unit number.', {
          type: 'string',
          maxLength: limits.searchCharactersMax,
        }),
        required: true,
      },
      listLimit,
    ],
    data: listOf(reference('FoundAgent')),
    faults: checked,
  },
  ...questionOperations,
}
