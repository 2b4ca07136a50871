import type { TokenScope } from '../../src/base/caller.ts'
import type { Operator } from '../../src/engine/postgres/operator/operator.ts'
import { createToken, findTokens, revokeToken } from '../../src/engine/postgres/operator/tokens.ts'

export type DemoTokens = { data: string; metadata: string; ingest: string }

const scopes: Record<keyof DemoTokens, TokenScope[]> = {
  data: ['data:read'],
  metadata: ['metadata:read', 'metadata:write'],
  ingest: ['ingest:write'],
}

/**
 * Creates new tokens at every start, because only hashes of tokens are stored. The tokens of the previous start are revoked.
 */
export async function createTokens(operator: Operator, organisation: string): Promise<DemoTokens> {
  const earlier = await findTokens(operator, organisation)
  for (const { id, revoked_at } of earlier) if (revoked_at === null) await revokeToken(operator, id)
  const create = async (label: keyof DemoTokens) => {
    const { token } = await createToken(operator, { organisation, label, scopes: scopes[label], expiresAt: null })
    return token
  }
  return { data: await create('data'), metadata: await create('metadata'), ingest: await create('ingest') }
}
