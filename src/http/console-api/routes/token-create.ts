import { accessDenied } from '../../../base/fault.ts'
import { checkNoParameters } from '../../../check/query-parameters.ts'
import { checkTokenRequest } from '../../../check/people/token-request.ts'
import { createOwnToken } from '../../../engine/postgres/people/own-tokens.ts'
import { ok } from '../../../envelope/envelope.ts'
import { defineSessionRoute } from '../define-session-route.ts'

export default defineSessionRoute(
  'POST',
  '/tokens',
  'administrator',
  async ({ postgres, now }, person, { body, query, origin }) => {
    checkNoParameters(query)
    const created = await createOwnToken(person, postgres, checkTokenRequest(body, now()), origin)
    if (created === null) throw accessDenied('no longer an administrator')
    return ok(created)
  },
)
