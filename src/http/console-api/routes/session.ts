import { ok } from '../../../envelope/envelope.ts'
import { defineSessionRoute } from '../define-session-route.ts'
import { describePerson } from '../describe-person.ts'

export default defineSessionRoute('GET', '/session', 'person', async (context, person) =>
  ok(await describePerson(context, person)),
)
