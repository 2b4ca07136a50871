import { presets } from '../../catalog/presets/index.ts'
import { visibleTo } from '../../catalog/visible.ts'
import { readGrants } from '../../engine/postgres/access/read-grants.ts'
import { ok } from '../../envelope/envelope.ts'
import { presetList } from '../../envelope/listings.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute('data', 'GET', '/presets', 'data:read', async ({ catalog, stores }, caller) => {
  const { metrics } = visibleTo(await readGrants(caller, stores.postgres), catalog)
  return ok(presetList(presets, metrics))
})
