import { findRows, type Postgres } from '../postgres.ts'
import type { Person, Way, RequestOrigin } from '../../../base/person.ts'
import { changeAsTenant, readAsTenant } from '../as-tenant.ts'

const statement = { name: 'find-user', text: 'SELECT user_id, password_hash FROM find_user($1)' }
const identified = { name: 'find-identified-user', text: 'SELECT user_id FROM find_identity_user($1, $2, $3, $4)' }

/** Finds a user by name, ignoring case. Returns null if the user does not exist or is disabled. */
export async function findUser(
  { pool }: Postgres,
  name: string,
): Promise<{ userId: number; passwordHash: string | null } | null> {
  const [row] = await findRows<{ user_id: number; password_hash: string | null }>(pool, statement, [name])
  return row === undefined ? null : { userId: row.user_id, passwordHash: row.password_hash }
}

type Vouched = {
  readonly provider: string
  readonly organisation: string
  readonly name: string
  /** True if the name is case-sensitive. */
  readonly isExact: boolean
}

/** Finds the user of the organisation who signs in with this provider and has this name. */
export async function findIdentityUser(
  { pool }: Postgres,
  { provider, organisation, name, isExact }: Vouched,
): Promise<number | null> {
  const [row] = await findRows<{ user_id: number }>(pool, identified, [provider, organisation, name, isExact])
  return row?.user_id ?? null
}

const changePasswordStatement = {
  name: 'change-password',
  text: 'SELECT change_password($1, $2, $3, $4, $5, $6) AS changed',
}

/**
 * Changes the password and ends every other session of the user. Returns false if the password has changed after it was
 * checked.
 */
export const changePassword = (
  person: Person,
  postgres: Postgres,
  hashes: { readonly proven: string; readonly next: string },
  { requestId, address }: RequestOrigin,
): Promise<boolean> =>
  changeAsTenant(person, postgres, async (client) => {
    const values = [person.userId, person.sessionId, hashes.proven, hashes.next, requestId, address]
    const [row] = await findRows<{ changed: boolean }>(client, changePasswordStatement, values)
    return row?.changed === true
  })

const readWayStatement = {
  name: 'read-way',
  text: 'SELECT has_password, provider FROM users WHERE organisation_id = $1 AND id = $2',
}

export const readWay = (person: Person, postgres: Postgres): Promise<Way> =>
  readAsTenant(person, postgres, async (client) => {
    type Row = { has_password: boolean; provider: string | null }
    const [row] = await findRows<Row>(client, readWayStatement, [person.organisationId, person.userId])
    if (row === undefined) throw new Error('a person with a session is no user')
    return { hasPassword: row.has_password, provider: row.provider }
  })
