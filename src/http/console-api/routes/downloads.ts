import { checkListLimit } from '../../../check/metadata/search-request.ts'
import { findExports } from '../../../engine/postgres/exports/exports.ts'
import { ok } from '../../../envelope/envelope.ts'
import { defineRoute } from '../../define-route.ts'

export default defineRoute('console', 'GET', '/downloads', 'data:read', async ({ stores }, caller, { query }) => {
  const found = await findExports(caller, stores.postgres, checkListLimit(query))
  return ok(found.map(({ summary, ...one }) => ({ ...one, request: JSON.parse(summary) as unknown })))
})
