import { bodyFaults, type Operations } from '../openapi/operation.ts'
import { listOf, reference } from '../openapi/schema.ts'
import { checked, ownPage } from './own-page.ts'

export const tokenOperations: Operations = {
  'GET /tokens': {
    id: 'listTokens',
    summary: 'Tokens of the organisation',
    description: 'The newest first, never the tokens themselves. Those of sessions are not listed.',
    data: listOf(reference('OwnToken')),
    faults: checked,
  },
  'POST /tokens': {
    id: 'createToken',
    summary: 'Make a token',
    description: 'The answer has the token itself, this once.',
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
    description: 'It is useless from the next request on. Revoking twice is no error.',
    parameters: [ownPage, { name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    data: null,
    faults: bodyFaults,
  },
}
