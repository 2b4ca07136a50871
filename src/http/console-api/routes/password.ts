import { randomBytes } from 'node:crypto'
import { validationFail } from '../../../base/fault.ts'
import { hashPassword, saltBytes } from '../../../base/password.ts'
import { checkNoParameters } from '../../../check/query-parameters.ts'
import { checkPasswordChange } from '../../../check/people/sign-in-request.ts'
import { changePassword } from '../../../engine/postgres/people/users.ts'
import { ok } from '../../../envelope/envelope.ts'
import { defineSessionRoute } from '../define-session-route.ts'

export default defineSessionRoute('PUT', '/password', 'person', async (context, person, request) => {
  const { body, query, origin, device, keepDevice } = request
  checkNoParameters(query)
  const { current, next } = checkPasswordChange(body)
  // Checking the current password is rate limited like a sign-in. Otherwise an unattended page would allow guessing the
  // password.
  const identity = await context.providers.password({ name: person.userName, password: current, device }, origin)
  const wrong = { current: ['This is not your current password.'] }
  if (identity === null || identity.provenHash === null || identity.userId !== person.userId)
    throw validationFail(wrong)
  const hashes = { proven: identity.provenHash, next: await hashPassword(next, randomBytes(saltBytes)) }
  if (!(await changePassword(person, context.postgres, hashes, origin))) throw validationFail(wrong)
  keepDevice(hashes.next)
  return ok()
})
