import { checkNoParameters } from '../../check/no-parameters.ts'
import { ok } from '../../envelope/envelope.ts'
import { defineRoute } from '../define-route.ts'
import { exportIdOf, showExport } from '../show-export.ts'

export default defineRoute('data', 'GET', '/downloads/:id', 'data:read', async (context, caller, { query, params }) => {
  checkNoParameters(query)
  return ok(await showExport(caller, context, exportIdOf(params)))
})
