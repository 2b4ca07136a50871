import { randomBytes } from 'node:crypto'
import type { Scope, TokenScope } from '../../../base/caller.ts'
import { validationFail } from '../../../base/fault.ts'
import { peopleLimits } from '../../../base/limits.ts'
import type { Person, Whence } from '../../../base/person.ts'
import { formatToken, hashToken, tokenEntropyBytes, visiblePart } from '../../../base/token.ts'
import { tooManyTokens, type TokenRequest } from '../../../check/people/token-request.ts'
import { changeAsTenant, readAsTenant } from '../as-tenant.ts'
import { findRows, sqlStateOf, type Postgres } from '../postgres.ts'

const own = 'FROM tokens WHERE tokens.organisation_id = $1 AND NOT of_session'
const works = `revoked_at IS NULL AND coalesce(expires_at, 'infinity'::timestamptz) > now()`
const most = peopleLimits.tokensMax

const find = {
  name: 'find-own-tokens',
  // Of those that are over there may be any number: they are not sorted, and only what is listed is read whole.
  text: `SELECT tokens.id, label, visible_part, scopes, tokens.created_at, users.name AS created_by, expires_at, revoked_at, last_used_at
    FROM (
        SELECT id, true AS works ${own} AND ${works}
        UNION ALL
        (SELECT id, false ${own} AND NOT (${works}) ORDER BY id DESC LIMIT ${most})
        ORDER BY works DESC, id DESC LIMIT ${most}
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
 * Those of the organisation, at most so many: first those that work, the newest of each first. Not those of sessions, which
 * come and go by themselves.
 */
export const findOwnTokens = (scope: Scope, postgres: Postgres): Promise<OwnToken[]> =>
  readAsTenant(scope, postgres, (client) => findRows<OwnToken>(client, find, [scope.organisationId]))

/** Raised by `create_own_token`. */
const tooManySqlState = 'TK001'

/** The token itself, this once; null when the person may not make any. */
export async function createOwnToken(
  person: Person,
  postgres: Postgres,
  { label, scopes, expiresAt }: TokenRequest,
  { requestId, address }: Whence,
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
