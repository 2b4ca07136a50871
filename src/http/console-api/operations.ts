import { limits } from '../../base/limits.ts'
import { query, type Operations } from '../openapi/operation.ts'
import { listOf, reference } from '../openapi/schema.ts'
import { checked, listLimit } from './own-page.ts'
import { sessionOperations } from './session-operations.ts'
import { tokenOperations } from './token-operations.ts'

/** What the document of the console's own interface says of its routes. */
export const consoleOperations: Operations = {
  ...sessionOperations,
  ...tokenOperations,
  'GET /panels': {
    id: 'listPanels',
    summary: 'Panels one can read',
    description: 'Those the organisation owns and those it is subscribed to.',
    data: listOf(reference('Panel')),
    faults: checked,
  },
  'GET /downloads': {
    id: 'listDownloads',
    summary: 'Files the organisation has asked for',
    description:
      'Those that can still be had, the newest first. `GET /downloads/{id}` of the data interface has the link.',
    parameters: [listLimit],
    data: listOf(reference('ListedDownload')),
    faults: checked,
  },
  'GET /agents': {
    id: 'searchAgents',
    summary: 'Agents by the beginning of an identifier',
    description:
      'An agent id or a MAC address that begins so, or a unit that is this one. Punctuation and case do not matter.',
    parameters: [
      {
        ...query('search', 'What it begins with.', { type: 'string', maxLength: limits.searchCharactersMax }),
        required: true,
      },
      listLimit,
    ],
    data: listOf(reference('FoundAgent')),
    faults: checked,
  },
}
