import { peopleLimits } from '../../base/limits.ts'
import { bodyFaults, type Operations } from '../openapi/operation.ts'
import { listOf, reference } from '../openapi/schema.ts'
import { checked, ownPage } from './own-page.ts'

const most = peopleLimits.tokensMax

export const tokenOperations: Operations = {
  'GET /tokens': {
    id: 'listTokens',
    summary: 'Tokens of the organisation',
    description: `Those that work first, then the others, of each the newest first; ${most} at most, so where there are as many, there may be more. Never the tokens themselves. Those of sessions are not listed.`,
    data: listOf(reference('OwnToken'), { maxItems: most }),
    faults: checked,
  },
  'POST /tokens': {
    id: 'createToken',
    summary: 'Make a token',
    description: `The answer has the token itself, this once. Refused where ${most} of the organisation work, whoever has made them.`,
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
