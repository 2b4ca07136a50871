import { randomBytes } from 'node:crypto'
import type { Scope, TokenScope } from '../../../base/caller.ts'
import { validationFail } from '../../../base/fault.ts'
import { peopleLimits } from '../../../base/limits.ts'
import type { Person, RequestOrigin } from '../../../base/person.ts'
import { formatToken, hashToken, tokenEntropyBytes, visiblePart } from '../../../base/token.ts'
import { tooManyTokens, type TokenRequest } from '../../../check/people/token-request.ts'
import { changeAsTenant, readAsTenant } from '../as-tenant.ts'
import { findRows, sqlStateOf, type Postgres } from '../postgres.ts'

const own = 'FROM tokens WHERE tokens.organisation_id = $1 AND NOT of_session'
const works = `revoked_at IS NULL AND coalesce(expires_at, 'infinity'::timestamptz) > now()`
const tokensMax = peopleLimits.tokensMax

const find = {
  name: 'find-own-tokens',
  // The number of tokens that are no longer valid is unlimited, so the other columns are read only for the rows that are
  // listed.
  text: `SELECT tokens.id, label, visible_part, scopes, tokens.created_at, users.name AS created_by, expires_at, revoked_at, last_used_at
    FROM (
        SELECT id, true AS works ${own} AND ${works}
        UNION ALL
        (SELECT id, false ${own} AND NOT (${works}) ORDER BY id DESC LIMIT ${tokensMax})
        ORDER BY works DESC, id DESC LIMIT ${tokensMax}
      ) AS listed JOIN tokens USING (id)
      LEFT JOIN users ON users.id = tokens.created_by AND users.organisation_id = $1
    ORDER BY works DESC, tokens.id DESC`,
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

/**
 * Finds the tokens of the organisation, up to the maximum: first the valid tokens, then the others, each with the newest first.
 * Excludes the tokens of sessions, which the service creates itself.
 */
export const findOwnTokens = (scope: Scope, postgres: Postgres): Promise<OwnToken[]> =>
  readAsTenant(scope, postgres, (client) => findRows<OwnToken>(client, find, [scope.organisationId]))

const tooManySqlState = 'TK001'

/**
 * Creates a token. This is the only time that the token itself is available. Returns null if the user may not create tokens.
 */
export async function createOwnToken(
  person: Person,
  postgres: Postgres,
  { label, scopes, expiresAt }: TokenRequest,
  { requestId, address }: RequestOrigin,
): Promise<{ id: number; token: string } | null> {
  const token = formatToken(randomBytes(tokenEntropyBytes))
  const shown = [label, visiblePart(token), hashToken(token), scopes, expiresAt?.toString() ?? null]
  const values = [person.userId, ...shown, requestId, address]
  const rows = await changeAsTenant(person, postgres, (client) =>
    findRows<{ id: number | null }>(client, create, values).catch((error: unknown) => {
      throw sqlStateOf(error) === tooManySqlState ? validationFail({ body: [tooManyTokens] }) : error
    }),
  )
  const id = rows[0]?.id
  return typeof id === 'number' ? { id, token } : null
}

/** Revokes a token, from the next request on. Returns false if the organisation does not have this token. */
export const revokeOwnToken = (
  person: Person,
  postgres: Postgres,
  id: number,
  { requestId, address }: RequestOrigin,
): Promise<boolean> =>
  changeAsTenant(person, postgres, async (client) => {
    const [row] = await findRows<{ found: boolean }>(client, revoke, [person.userId, id, requestId, address])
    return row?.found === true
  })
