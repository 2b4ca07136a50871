import { checkNoParameters } from '../../../check/query-parameters.ts'
import { endSession } from '../../../engine/postgres/people/sessions.ts'
import { ok } from '../../../envelope/envelope.ts'
import { defineSessionRoute } from '../define-session-route.ts'

export default defineSessionRoute(
  'DELETE',
  '/session',
  'person',
  async ({ postgres }, person, { query, origin, keepSecret }) => {
    checkNoParameters(query)
    await endSession(person, postgres, origin)
    keepSecret(null)
    return ok()
  },
)
