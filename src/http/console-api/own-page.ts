import { query } from '../openapi/operation.ts'
import type { Schema } from '../openapi/schema.ts'
import { limits } from '../../base/limits.ts'
import { consoleHeader } from './refuse-foreign-requests.ts'

/** The request header that every changing request must have. */
export const ownPage: Schema = {
  name: consoleHeader,
  in: 'header',
  required: true,
  description:
    'The value has no meaning. Pages of other sites cannot send this header, which prevents cross-site request forgery.',
  schema: { type: 'string' },
}

export const listLimit = query('limit', 'Maximum number of entries.', {
  type: 'integer',
  minimum: 1,
  maximum: limits.valuesMax,
  default: limits.valuesDefault,
})

/** Error codes of routes that check parameters but have no body. */
export const checked = ['VALIDATION_FAIL'] as const
