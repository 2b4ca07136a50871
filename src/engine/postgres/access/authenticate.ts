import type { Caller, TokenScope } from '../../../base/caller.ts'
import { hashToken, sameHash } from '../../../base/token.ts'
import { findRows, type Postgres, runNamed } from '../postgres.ts'

const statement = {
  name: 'authenticate',
  text: 'SELECT token_id, sha256, scopes, organisation_id, organisation_key FROM authenticate($1)',
}

type TokenRow = {
  token_id: number
  sha256: Buffer
  scopes: TokenScope[]
  organisation_id: number
  organisation_key: string
}

/** Returns the caller that a token belongs to; null if the token is unknown, expired or revoked. */
export async function authenticate({ pool }: Postgres, token: string): Promise<Caller | null> {
  const hash = hashToken(token)
  const [row] = await findRows<TokenRow>(pool, statement, [hash])
  if (row === undefined || !sameHash(row.sha256, hash)) return null
  return {
    organisationId: row.organisation_id,
    organisationKey: row.organisation_key,
    tokenId: row.token_id,
    tokenScopes: row.scopes,
  }
}

const tokenUseStatement = { name: 'record-token-use', text: 'SELECT record_token_use($1, $2)' }

export async function recordTokenUse({ pool }: Postgres, tokenIds: number[], usedAt: Temporal.Instant): Promise<void> {
  await runNamed(pool, tokenUseStatement, [tokenIds, usedAt.toString()])
}
