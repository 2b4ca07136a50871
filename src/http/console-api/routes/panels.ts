import { findPanels } from '../../../engine/postgres/access/panels.ts'
import { ok } from '../../../envelope/envelope.ts'
import { defineRoute } from '../../define-route.ts'

export default defineRoute('console', 'GET', '/panels', 'data:read', async ({ stores }, caller) =>
  ok(await findPanels(caller, stores.postgres)),
)
