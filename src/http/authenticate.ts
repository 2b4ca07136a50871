import { accessDenied } from '../base/fault.ts'
import { hasTokenForm } from '../base/token.ts'
import type { AgentReference } from '../check/agent-reference.ts'
import { authenticate as findCaller } from '../engine/postgres/authenticate.ts'
import { authenticateForAgent, type Authentication } from '../engine/postgres/authenticate-for-agent.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { bearerToken } from './bearer-token.ts'
import type { InterfaceName } from './define-route.ts'

/** Who is asking, with the agent they ask for if the route names one, or the one answer for everybody without a token; the reason goes to the log only. */
export async function authenticate(
  postgres: Postgres,
  header: string | undefined,
  interfaceName: InterfaceName,
  agent: AgentReference | null,
): Promise<Authentication> {
  const token = bearerToken(header, interfaceName)
  if (token === null) throw accessDenied('no token in a form this interface takes')
  if (!hasTokenForm(token)) throw accessDenied('the token is mistyped: its checksum does not fit')
  const found = agent === null ? await find(postgres, token) : await authenticateForAgent(postgres, token, agent)
  if (found === null) throw accessDenied('the token is unknown, expired or revoked')
  return found
}

async function find(postgres: Postgres, token: string): Promise<Authentication | null> {
  const caller = await findCaller(postgres, token)
  return caller && { caller, metadata: null }
}
