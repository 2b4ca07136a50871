import { ok } from '../../../envelope/envelope.ts'
import { defineOpenRoute } from '../define-session-route.ts'

export default defineOpenRoute('GET', '/sign-in', async ({ providers }) =>
  ok(providers.redirects.map(({ key, title }) => ({ key, title }))),
)
