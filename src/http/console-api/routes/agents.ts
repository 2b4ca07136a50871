import { checkAgentSearch } from '../../../check/metadata/search-request.ts'
import { searchAgents } from '../../../engine/postgres/metadata/search-agents.ts'
import { ok } from '../../../envelope/envelope.ts'
import { defineRoute } from '../../define-route.ts'

export default defineRoute('console', 'GET', '/agents', 'metadata:read', async ({ stores }, caller, { query }) =>
  ok(await searchAgents(caller, stores.postgres, checkAgentSearch(query))),
)
