import type { Caller } from '../base/caller.ts'
import { accessDenied } from '../base/fault.ts'
import { hasTokenForm } from '../base/token.ts'
import { authenticate as findCaller } from '../engine/postgres/authenticate.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { bearerToken } from './bearer-token.ts'
import type { InterfaceName } from './define-route.ts'

/** The caller of a valid token. All others get the same 403; the reason goes to the log only. */
export async function authenticate(
  postgres: Postgres,
  header: string | undefined,
  interfaceName: InterfaceName,
): Promise<Caller> {
  const token = bearerToken(header, interfaceName)
  if (token === null) throw accessDenied('no token in a form this interface takes')
  if (!hasTokenForm(token)) throw accessDenied('the token is mistyped: its checksum does not fit')
  const caller = await findCaller(postgres, token)
  if (caller === null) throw accessDenied('the token is unknown, expired or revoked')
  return caller
}
