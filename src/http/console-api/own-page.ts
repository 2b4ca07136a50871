import { query } from '../openapi/operation.ts'
import type { Schema } from '../openapi/schema.ts'
import { limits } from '../../base/limits.ts'
import { consoleHeader } from './refuse-foreign-requests.ts'

/** What a change must carry. */
export const ownPage: Schema = {
  name: consoleHeader,
  in: 'header',
  required: true,
  description: 'Anything. Pages of other sites cannot send it.',
  schema: { type: 'string' },
}

export const listLimit = query('limit', 'How many to list at most.', {
  type: 'integer',
  minimum: 1,
  maximum: limits.valuesMax,
  default: limits.valuesDefault,
})

/** Of routes that take no body. */
export const checked = ['VALIDATION_FAIL'] as const
