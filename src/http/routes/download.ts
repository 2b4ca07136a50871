import { ok } from '../../envelope/envelope.ts'
import { defineRoute } from '../define-route.ts'
import { exportIdOf, showExport } from '../../execute/show-export.ts'

export default defineRoute('data', 'GET', '/downloads/:id', 'data:read', async (context, caller, { params }) =>
  ok(await showExport(caller, context, exportIdOf(params))),
)
