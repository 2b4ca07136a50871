import type { ClientBase } from 'pg'
import type { Scope } from '../../base/caller.ts'
import { speaking, type Postgres } from './postgres.ts'

/**
 * Runs `work` in a read-only transaction that row-level security limits to the caller's organisation. The setting ends
 * with the transaction, so a pooled connection never carries one tenant's rights into the next request.
 */
export async function readAsTenant<Result>(
  scope: Scope,
  { pool }: Postgres,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await speaking(() => pool.connect())
  try {
    // Two statements in one round trip take no parameters; the organisation is a number of ours and is made sure of.
    await speaking(() => client.query(`BEGIN READ ONLY; SET LOCAL broadgauge.organisation = '${tenantNumber(scope)}'`))
    const result = await work(client)
    await speaking(() => client.query('COMMIT'))
    client.release()
    return result
  } catch (error) {
    // Closing the connection ends the transaction whatever state it is in, also when the server no longer answers.
    client.release(true)
    throw error
  }
}

function tenantNumber({ organisationId }: Scope): number {
  if (!Number.isSafeInteger(organisationId)) throw new TypeError('a scope without an organisation')
  return organisationId
}
