import { accessDenied } from '../../../base/fault.ts'
import { sessionToken } from '../../../base/token.ts'
import { checkNoParameters } from '../../../check/query-parameters.ts'
import { renewSessionToken } from '../../../engine/postgres/people/sessions.ts'
import { ok } from '../../../envelope/envelope.ts'
import { defineSessionRoute } from '../define-session-route.ts'

export default defineSessionRoute(
  'POST',
  '/session/token',
  'person',
  async ({ postgres }, person, { query, secret }) => {
    checkNoParameters(query)
    const renewed = await renewSessionToken(person, postgres)
    if (renewed === null) throw accessDenied('the session has just ended')
    return ok({ token: sessionToken(secret), scopes: renewed.scopes, expires_at: renewed.expiresAt.toISOString() })
  },
)
