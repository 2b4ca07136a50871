import type { Person, Whence } from '../../../base/person.ts'
import { changeAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'

const statement = { name: 'change-password', text: 'SELECT change_password($1, $2, $3, $4, $5, $6) AS changed' }

/** Every other session of the person ends. False when the password is no longer the one that was proved. */
export const changePassword = (
  person: Person,
  postgres: Postgres,
  hashes: { readonly proven: string; readonly next: string },
  { requestId, address }: Whence,
): Promise<boolean> =>
  changeAsTenant(person, postgres, async (client) => {
    const values = [person.userId, person.sessionId, hashes.proven, hashes.next, requestId, address]
    const [row] = await findRows<{ changed: boolean }>(client, statement, values)
    return row?.changed === true
  })
