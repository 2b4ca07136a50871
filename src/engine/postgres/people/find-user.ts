import { findRows, type Postgres } from '../postgres.ts'

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
