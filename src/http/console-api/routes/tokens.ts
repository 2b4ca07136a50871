import { findOwnTokens } from '../../../engine/postgres/people/own-tokens.ts'
import { ok } from '../../../envelope/envelope.ts'
import { defineSessionRoute } from '../define-session-route.ts'

export default defineSessionRoute('GET', '/tokens', 'administrator', async ({ postgres }, person) =>
  ok(await findOwnTokens(person, postgres)),
)
