import { randomBytes } from 'node:crypto'
import type { TokenScope } from '../../../base/caller.ts'
import { formatToken, hashToken, tokenEntropyBytes, visiblePart } from '../../../base/token.ts'
import { operate, OperatorError, type Operator } from './operator.ts'
import { readOrganisation } from './organisations.ts'

export type TokenRecord = {
  id: number
  organisation: string
  label: string
  visible_part: string
  scopes: TokenScope[]
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
}

export type NewToken = {
  organisation: string
  label: string
  scopes: readonly TokenScope[]
  expiresAt: Temporal.Instant | null
}

/** Creates a token. This is the only time that the token itself is available, because only its hash is stored. */
export async function createToken(
  operator: Operator,
  { organisation, label, scopes, expiresAt }: NewToken,
): Promise<{ id: number; token: string }> {
  const { id: organisationId } = await readOrganisation(operator, organisation)
  const token = formatToken(randomBytes(tokenEntropyBytes))
  const [row] = await operate<{ id: number }>(
    operator,
    `INSERT INTO tokens (organisation_id, label, visible_part, sha256, scopes, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
    [organisationId, label, visiblePart(token), hashToken(token), scopes, expiresAt?.toString() ?? null],
  )
  if (row === undefined) throw new Error('INSERT … RETURNING gave no row')
  return { id: row.id, token }
}

export async function findTokens(operator: Operator, organisation: string): Promise<TokenRecord[]> {
  await readOrganisation(operator, organisation)
  return operate<TokenRecord>(
    operator,
    `SELECT t.id, o.key AS organisation, label, visible_part, scopes, t.created_at, expires_at, revoked_at, last_used_at
     FROM tokens t JOIN organisations o ON o.id = t.organisation_id WHERE o.key = $1 ORDER BY t.id`,
    [organisation],
  )
}

export type LiveToken = { id: number; organisation: string; label: string }

const isLiveTokenOfUser = `t.created_by = $1 AND NOT t.of_session
  AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()) AND o.id = t.organisation_id`

/**
 * Finds the valid tokens that a user has created. They belong to the organisation and stay valid when the user's account is
 * disabled.
 */
export const findTokensBy = (operator: Operator, userId: number): Promise<LiveToken[]> =>
  operate<LiveToken>(
    operator,
    `SELECT t.id, o.key AS organisation, t.label FROM tokens t, organisations o WHERE ${isLiveTokenOfUser} ORDER BY t.id`,
    [userId],
  )

/**
 * Revokes the valid tokens that a user has created. Must run in a transaction, because it also records an event for each token.
 */
export async function revokeTokensBy(operator: Operator, userId: number): Promise<LiveToken[]> {
  const revoked = await operate<LiveToken>(
    operator,
    `UPDATE tokens t SET revoked_at = now() FROM organisations o WHERE ${isLiveTokenOfUser}
     RETURNING t.id, o.key AS organisation, t.label`,
    [userId],
  )
  for (const { id } of revoked)
    await operate(operator, `SELECT record_people_event($1, 'token-revoked', $2, NULL, NULL)`, [userId, id])
  return revoked
}

/** Revokes a token, from the next request on. If the token is already revoked, the revocation time does not change. */
export async function revokeToken(operator: Operator, id: number): Promise<void> {
  const rows = await operate(
    operator,
    'UPDATE tokens SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1 RETURNING id',
    [id],
  )
  if (rows.length === 0) throw new OperatorError(`There is no token ${id}; see: broadgauge token list <organisation>`)
}
