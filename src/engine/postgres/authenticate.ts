import type { Caller, TokenScope } from '../../base/caller.ts'
import { hashToken, sameHash } from '../../base/token.ts'
import type { AgentReference } from '../../check/agent-reference.ts'
import type { AgentMetadata } from './metadata-columns.ts'
import { findRows, type Postgres } from './postgres.ts'

const plain = {
  name: 'authenticate',
  text: 'SELECT token_id, sha256, scopes, organisation_id, organisation_key FROM authenticate($1)',
}
const withMetadata = { name: 'authenticate-and-read', text: 'SELECT * FROM authenticate_and_read($1, $2, $3)' }

type Row = {
  token_id: number
  sha256: Buffer
  scopes: TokenScope[]
  organisation_id: number
  organisation_key: string
  metadata?: AgentMetadata | null
}

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
  const [row] =
    agent === null
      ? await findRows<Row>(pool, plain, [hash])
      : await findRows<Row>(pool, withMetadata, [hash, agent.field, agent.value])
  if (row === undefined || !sameHash(row.sha256, hash)) return null
  const caller = {
    organisationId: row.organisation_id,
    organisationKey: row.organisation_key,
    tokenId: row.token_id,
    tokenScopes: row.scopes,
  }
  return { caller, metadata: row.metadata ?? null }
}
