import { randomBytes } from 'node:crypto'
import { hashPassword, saltBytes } from '../../../base/password.ts'
import type { Role } from '../../../base/person.ts'
import { inTransaction, operate, OperatorError, type Operator } from './operator.ts'
import { readOrganisation } from './organisations.ts'
import { findTokensBy, revokeTokensBy, type LiveToken } from './tokens.ts'

/** `provider` is the key of the identity provider. Null means that the user signs in with a password. */
export type NewUser = { organisation: string; name: string; role: Role; provider?: string | null }

export type UserRecord = {
  id: number
  organisation: string
  name: string
  role: Role
  provider: string | null
  created_at: Date
  disabled_at: Date | null
  last_signed_in_at: Date | null
  sessions: number
}

/**
 * 144 random bits, in characters that a person can read aloud and type. The first password is random, because a password that a
 * person chooses could be guessed.
 */
const newPassword = (): string => randomBytes(18).toString('base64url')

const hashOf = (password: string): Promise<string> => hashPassword(password, randomBytes(saltBytes))

/**
 * Creates a user. This is the only time that the password is available, because only its hash is stored. The password is empty
 * for a user who signs in with an identity provider.
 */
export async function createUser(
  operator: Operator,
  { organisation, name, role, provider = null }: NewUser,
): Promise<{ id: number; password: string }> {
  const { id: organisationId } = await readOrganisation(operator, organisation)
  const password = provider === null ? newPassword() : ''
  const hash = provider === null ? await hashOf(password) : null
  return inTransaction(operator, async () => {
    const [row] = await operate<{ id: number }>(
      operator,
      'INSERT INTO users (organisation_id, name, role, password_hash, provider) VALUES ($1, $2, $3, $4, $5) RETURNING id',
      [organisationId, name, role, hash, provider],
    )
    if (row === undefined) throw new Error('INSERT … RETURNING gave no row')
    await recordEvent(operator, row.id, 'created')
    return { id: row.id, password }
  })
}

export async function findUsers(operator: Operator, organisation: string | null): Promise<UserRecord[]> {
  if (organisation !== null) await readOrganisation(operator, organisation)
  return operate<UserRecord>(
    operator,
    `SELECT u.id, o.key AS organisation, u.name, u.role, u.provider, u.created_at, u.disabled_at,
       (SELECT max(created_at) FROM tokens WHERE created_by = u.id AND of_session) AS last_signed_in_at,
       (SELECT count(*)::integer FROM sessions
        WHERE user_id = u.id AND ended_at IS NULL AND expires_at > now()) AS sessions
     FROM users u JOIN organisations o ON o.id = u.organisation_id WHERE $1::text IS NULL OR o.key = $1 ORDER BY u.id`,
    [organisation],
  )
}

/** Issues a new password and ends all sessions of the user. */
export async function issuePassword(operator: Operator, name: string): Promise<{ id: number; password: string }> {
  const [elsewhere] = await operate<{ provider: string }>(
    operator,
    `SELECT provider FROM users WHERE ${hasName} AND provider IS NOT NULL`,
    [name],
  )
  if (elsewhere !== undefined)
    throw new OperatorError(
      `${name} signs in with the provider ${elsewhere.provider} and has no password in this service.`,
    )
  const password = newPassword()
  const hash = await hashOf(password)
  return inTransaction(operator, async () => {
    const id = await alterUser(operator, name, 'password-issued', 'password_hash = $2', [hash])
    return { id, password }
  })
}

/**
 * Disables an account and ends all sessions of the user. If the account is already disabled, the time does not change. Returns
 * the tokens that the user has created: those that stay valid or, with `revokeTokens`, those that were just revoked.
 */
export const disableUser = (
  operator: Operator,
  name: string,
  { revokeTokens = false }: { revokeTokens?: boolean } = {},
): Promise<{ id: number; tokens: LiveToken[] }> =>
  inTransaction(operator, async () => {
    const id = await alterUser(operator, name, 'disabled', 'disabled_at = coalesce(disabled_at, now())', [])
    const tokens = await (revokeTokens ? revokeTokensBy : findTokensBy)(operator, id)
    return { id, tokens }
  })

/**
 * Changes the role of a user, from the next request on: the service reads the role with every request of a session, and the
 * session's token gets the scopes of the new role. Records no event if the user already has the role.
 */
export const changeRole = (operator: Operator, name: string, role: Role): Promise<{ id: number; changed: boolean }> =>
  inTransaction(operator, async () => {
    const [user] = await operate<{ id: number; role: Role }>(
      operator,
      `SELECT id, role FROM users WHERE ${hasName} FOR NO KEY UPDATE`,
      [name],
    )
    if (user === undefined) throw noSuchUser(name)
    if (user.role === role) return { id: user.id, changed: false }
    await operate(operator, 'UPDATE users SET role = $2 WHERE id = $1', [user.id, role])
    await operate(
      operator,
      `UPDATE tokens SET scopes = scopes_of_role($2)
       WHERE session_id IN (SELECT id FROM sessions WHERE user_id = $1 AND ended_at IS NULL)`,
      [user.id, role],
    )
    await recordEvent(operator, user.id, `made-${role}`)
    return { id: user.id, changed: true }
  })

const hasName = 'lower(name COLLATE "C") = lower($1 COLLATE "C")'

const noSuchUser = (name: string): OperatorError =>
  new OperatorError(`There is no user ${name}; see: broadgauge user list`)

/** Changes a user and ends all sessions of the user. Must run in a transaction. */
async function alterUser(
  operator: Operator,
  name: string,
  event: string,
  assignment: string,
  values: unknown[],
): Promise<number> {
  const [row] = await operate<{ id: number }>(
    operator,
    `UPDATE users SET ${assignment} WHERE ${hasName} RETURNING id`,
    [name, ...values],
  )
  if (row === undefined) throw noSuchUser(name)
  await operate(operator, 'SELECT end_sessions($1, NULL, NULL)', [row.id])
  await recordEvent(operator, row.id, event)
  return row.id
}

const recordEvent = (operator: Operator, id: number, event: string) =>
  operate(operator, 'SELECT record_people_event($1, $2, NULL, NULL, NULL)', [id, event])
