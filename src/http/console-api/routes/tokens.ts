import { checkNoParameters } from '../../../check/no-parameters.ts'
import { findOwnTokens } from '../../../engine/postgres/people/own-tokens.ts'
import { ok } from '../../../envelope/envelope.ts'
import { defineSessionRoute } from '../define-session-route.ts'

export default defineSessionRoute('GET', '/tokens', 'administrator', async ({ postgres }, person, { query }) => {
  checkNoParameters(query)
  return ok(await findOwnTokens(person, postgres))
})
