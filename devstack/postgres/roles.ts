import { Client } from 'pg'
import type { StackSecrets } from '../record/secrets.ts'

const groupRoles = ['broadgauge_operator', 'broadgauge_service', 'broadgauge_dictionary'] as const

/** Creates the roles and the database that an operator would create before the first migration. */
export async function createRolesAndDatabase(superuserUrl: string, passwords: StackSecrets['postgres']): Promise<void> {
  const client = new Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    for (const role of groupRoles) await createRole(client, role, 'NOLOGIN')
    await createRole(client, 'bg_admin', `LOGIN CREATEDB CREATEROLE PASSWORD '${passwords.admin}'`)
    await createRole(client, 'bg_service', `LOGIN PASSWORD '${passwords.service}'`)
    await createRole(client, 'bg_dictionary', `LOGIN PASSWORD '${passwords.dictionary}'`)
    await client.query(`GRANT ${groupRoles.join(', ')} TO bg_admin WITH ADMIN OPTION`)
    await client.query('GRANT broadgauge_service TO bg_service')
    await client.query('GRANT broadgauge_dictionary TO bg_dictionary')
    await createDatabase(client)
  } finally {
    await client.end()
  }
}

async function createRole(client: Client, role: string, attributes: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role])
  if (rowCount === 0) await client.query(`CREATE ROLE ${role} ${attributes}`)
}

async function createDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = 'broadgauge'")
  if (rowCount === 0) await client.query('CREATE DATABASE broadgauge OWNER bg_admin')
}
