import { peopleLimits } from '../../base/limits.ts'
import { bodyFaults, type Operations } from '../openapi/operation.ts'
import { listOf, reference } from '../openapi/schema.ts'
import { checked, ownPage } from './own-page.ts'

const most = peopleLimits.tokensMax

export const tokenOperations: Operations = {
  'GET /tokens': {
    id: 'listTokens',
    summary: 'List the tokens of the organisation',
    description: `Lists valid tokens first, then revoked and expired ones, each group with the newest first. The list has at most ${most} entries, so a full list may be incomplete. It contains neither the tokens themselves nor the tokens of sessions.`,
    data: listOf(reference('OwnToken'), { maxItems: most }),
    faults: checked,
  },
  'POST /tokens': {
    id: 'createToken',
    summary: 'Create a token',
    description: `Only this response contains the token itself. The service refuses the request if the organisation already has ${most} valid tokens.`,
    parameters: [ownPage],
    body: {
      schema: reference('TokenRequest'),
      examples: { yearly: { label: 'nightly report', scopes: ['data:read'], expires_at: '2036-01-31T00:00:00Z' } },
    },
    data: reference('NewToken'),
    faults: bodyFaults,
  },
  'DELETE /tokens/:id': {
    id: 'revokeToken',
    summary: 'Revoke a token',
    description: 'The service refuses the token from the next request on. To revoke a token twice is no error.',
    parameters: [ownPage, { name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    data: null,
    faults: bodyFaults,
  },
}
