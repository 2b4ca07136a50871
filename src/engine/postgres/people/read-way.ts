import type { Person, Way } from '../../../base/person.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'

const statement = {
  name: 'read-way',
  text: 'SELECT has_password, provider FROM users WHERE organisation_id = $1 AND id = $2',
}

/** By what the person signs in. */
export const readWay = (person: Person, postgres: Postgres): Promise<Way> =>
  readAsTenant(person, postgres, async (client) => {
    type Row = { has_password: boolean; provider: string | null }
    const [row] = await findRows<Row>(client, statement, [person.organisationId, person.userId])
    if (row === undefined) throw new Error('a person with a session is no user')
    return { hasPassword: row.has_password, provider: row.provider }
  })
