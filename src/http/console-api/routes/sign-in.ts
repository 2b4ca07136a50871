import { Fault } from '../../../base/fault.ts'
import { checkNoParameters } from '../../../check/query-parameters.ts'
import { checkSignInRequest } from '../../../check/people/sign-in-request.ts'
import { beginSession, endFormerSession, readSession } from '../../../engine/postgres/people/sessions.ts'
import { ok } from '../../../envelope/envelope.ts'
import { defineOpenRoute } from '../define-session-route.ts'
import { describePerson } from '../describe-person.ts'

/** A wrong name, a wrong password and a disabled person all get this response. */
const refused = (): Fault =>
  new Fault('ACCESS_DENIED', { message: 'The name or the password is wrong.', detail: 'a sign-in was refused' })

export default defineOpenRoute('POST', '/session', async (context, request) => {
  const { body, query, origin, device, formerHash, keepDevice, keepSecret } = request
  checkNoParameters(query)
  const credentials = { ...checkSignInRequest(body), device }
  const { postgres, sessionLimits } = context
  const identity = await context.providers.password(credentials, origin)
  const secret = identity && (await beginSession(postgres, identity, sessionLimits, origin))
  const person = secret === null ? null : await readSession(postgres, secret, sessionLimits)
  if (secret === null || person === null) throw refused()
  const described = await describePerson(context, person)
  await endFormerSession(postgres, formerHash, sessionLimits, origin)
  keepSecret(secret)
  if (identity !== null && identity.provenHash !== null) keepDevice(identity.provenHash)
  return ok(described)
})
