import { visibleTo } from '../../catalog/visible.ts'
import { checkTestListRequest } from '../../check/query-parameters.ts'
import { readGrants } from '../../engine/postgres/access/read-grants.ts'
import { ok } from '../../envelope/envelope.ts'
import { testList } from '../../envelope/listings.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute('data', 'GET', '/tests', 'data:read', async ({ catalog, stores }, caller, { query }) => {
  const { family } = checkTestListRequest(query)
  const { tests } = visibleTo(await readGrants(caller, stores.postgres), catalog)
  return ok(testList(tests.filter((test) => family === null || test.family === family)))
})
