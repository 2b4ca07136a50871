import { findRows, type Postgres } from '../postgres.ts'
import type { Person, Way, Whence } from '../../../base/person.ts'
import { changeAsTenant, readAsTenant } from '../as-tenant.ts'

const statement = { name: 'find-user', text: 'SELECT user_id, password_hash FROM find_user($1)' }
const vouched = { name: 'find-vouched-user', text: 'SELECT user_id FROM find_vouched_user($1, $2, $3, $4)' }

/** Whose name it is, whatever its case; null when nobody's, or of somebody who has been disabled. */
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
  /** To the letter, not whatever its case. */
  readonly isExact: boolean
}

/** Somebody of the organisation who signs in by this provider. */
export async function findVouchedUser(
  { pool }: Postgres,
  { provider, organisation, name, isExact }: Vouched,
): Promise<number | null> {
  const [row] = await findRows<{ user_id: number }>(pool, vouched, [provider, organisation, name, isExact])
  return row?.user_id ?? null
}

const changePasswordStatement = {
  name: 'change-password',
  text: 'SELECT change_password($1, $2, $3, $4, $5, $6) AS changed',
}

/** Every other session of the person ends. False when the password is no longer the one that was proved. */
export const changePassword = (
  person: Person,
  postgres: Postgres,
  hashes: { readonly proven: string; readonly next: string },
  { requestId, address }: Whence,
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

/** By what the person signs in. */
export const readWay = (person: Person, postgres: Postgres): Promise<Way> =>
  readAsTenant(person, postgres, async (client) => {
    type Row = { has_password: boolean; provider: string | null }
    const [row] = await findRows<Row>(client, readWayStatement, [person.organisationId, person.userId])
    if (row === undefined) throw new Error('a person with a session is no user')
    return { hasPassword: row.has_password, provider: row.provider }
  })
