import type { Caller, TokenScope } from '../../base/caller.ts'
import { hashToken, sameHash } from '../../base/token.ts'
import type { AgentReference } from '../../check/agent-reference.ts'
import type { AgentMetadata } from './metadata-columns.ts'
import { findRows, type Postgres } from './postgres.ts'

const plain = {
  name: 'authenticate',
  text: 'SELECT token_id, sha256, scopes, organisation_id, organisation_key FROM authenticate($1)',
}
const withAgent = { name: 'authenticate-for-agent', text: 'SELECT authenticate_for_agent($1, $2, $3) AS found' }

type Found = { token_id: number; scopes: TokenScope[]; organisation_id: number; organisation_key: string }

/** The caller, and what was looked up with them. */
export type Authentication = { caller: Caller; metadata: AgentMetadata | null }

/**
 * Who a token stands for; null when it is unknown, expired or revoked. With `agent`, that agent's metadata comes along in
 * the same round trip, as far as the caller's organisation can see it.
 */
export async function authenticate(
  { pool }: Postgres,
  token: string,
  agent: AgentReference | null,
): Promise<Authentication | null> {
  const hash = hashToken(token)
  if (agent === null) {
    const [row] = await findRows<Found & { sha256: Buffer }>(pool, plain, [hash])
    return row === undefined || !sameHash(row.sha256, hash) ? null : { caller: callerOf(row), metadata: null }
  }
  type Row = { found: (Found & { metadata: AgentMetadata | null }) | null }
  const [row] = await findRows<Row>(pool, withAgent, [hash, agent.field, agent.value])
  const found = row?.found ?? null
  return found && { caller: callerOf(found), metadata: found.metadata }
}

const callerOf = (found: Found): Caller => ({
  organisationId: found.organisation_id,
  organisationKey: found.organisation_key,
  tokenId: found.token_id,
  tokenScopes: found.scopes,
})
