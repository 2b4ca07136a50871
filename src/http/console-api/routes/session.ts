import { checkNoParameters } from '../../../check/no-parameters.ts'
import { ok } from '../../../envelope/envelope.ts'
import { personAnswer } from '../../../envelope/people.ts'
import { defineSessionRoute } from '../define-session-route.ts'

export default defineSessionRoute('GET', '/session', 'person', async (_context, person, { query }) => {
  checkNoParameters(query)
  return ok(personAnswer(person))
})
