import { visibleTo } from '../../catalog/visible.ts'
import { readGrants } from '../../engine/postgres/access/read-grants.ts'
import { ok } from '../../envelope/envelope.ts'
import { splitList } from '../../envelope/listings.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute('data', 'GET', '/splits', 'data:read', async ({ catalog, stores }, caller) => {
  const { dimensions } = visibleTo(await readGrants(caller, stores.postgres), catalog)
  return ok(splitList(dimensions))
})
