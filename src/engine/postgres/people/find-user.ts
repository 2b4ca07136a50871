import { findRows, type Postgres } from '../postgres.ts'

const statement = { name: 'find-user', text: 'SELECT user_id, password_hash FROM find_user($1)' }

/** Whose name it is, whatever its case; null when nobody's, or of somebody who has been disabled. */
export async function findUser(
  { pool }: Postgres,
  name: string,
): Promise<{ userId: number; passwordHash: string | null } | null> {
  const [row] = await findRows<{ user_id: number; password_hash: string | null }>(pool, statement, [name])
  return row === undefined ? null : { userId: row.user_id, passwordHash: row.password_hash }
}
