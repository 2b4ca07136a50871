import { randomBytes } from 'node:crypto'
import type { Scope, TokenScope } from '../../../base/caller.ts'
import type { Person, Whence } from '../../../base/person.ts'
import { formatToken, hashToken, tokenEntropyBytes, visiblePart } from '../../../base/token.ts'
import type { TokenRequest } from '../../../check/token-request.ts'
import { changeAsTenant, readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'

const find = {
  name: 'find-own-tokens',
  text: `SELECT tokens.id, label, visible_part, scopes, tokens.created_at, users.name AS created_by, expires_at, revoked_at, last_used_at
    FROM tokens LEFT JOIN users ON users.id = tokens.created_by AND users.organisation_id = $1
    WHERE tokens.organisation_id = $1 AND NOT of_session ORDER BY tokens.id DESC`,
}
const create = { name: 'create-own-token', text: 'SELECT create_own_token($1, $2, $3, $4, $5, $6, $7, $8) AS id' }
const revoke = { name: 'revoke-own-token', text: 'SELECT revoke_own_token($1, $2, $3, $4) AS found' }

export type OwnToken = {
  id: number
  label: string
  visible_part: string
  scopes: TokenScope[]
  created_at: Date
  created_by: string | null
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
}

/** Those of the organisation, the newest first; not those of sessions, which come and go by themselves. */
export const findOwnTokens = (scope: Scope, postgres: Postgres): Promise<OwnToken[]> =>
  readAsTenant(scope, postgres, (client) => findRows<OwnToken>(client, find, [scope.organisationId]))

/** The token itself, this once; null when the person may not make any. */
export const createOwnToken = (
  person: Person,
  postgres: Postgres,
  { label, scopes, expiresAt }: TokenRequest,
  { requestId, address }: Whence,
): Promise<{ id: number; token: string } | null> => {
  const token = formatToken(randomBytes(tokenEntropyBytes))
  const shown = [label, visiblePart(token), hashToken(token), scopes, expiresAt?.toString() ?? null]
  return changeAsTenant(person, postgres, async (client) => {
    const [row] = await findRows<{ id: number | null }>(client, create, [person.userId, ...shown, requestId, address])
    return typeof row?.id === 'number' ? { id: row.id, token } : null
  })
}

/** Whether the organisation has such a token. It is useless from the next request on. */
export const revokeOwnToken = (
  person: Person,
  postgres: Postgres,
  id: number,
  { requestId, address }: Whence,
): Promise<boolean> =>
  changeAsTenant(person, postgres, async (client) => {
    const [row] = await findRows<{ found: boolean }>(client, revoke, [person.userId, id, requestId, address])
    return row?.found === true
  })
