import { runNamed, type Postgres } from '../postgres.ts'

/** How many calls one API token made to one endpoint, with one status, on one UTC day. */
export type CallCount = {
  organisationId: number
  tokenId: number
  endpoint: string
  status: number
  day: string
  calls: number
}

/**
 * The call counts of one instance, with a sequence number. If the instance sends a sequence number again, PostgreSQL does not
 * add the counts again.
 */
export type NumberedCounts = {
  readonly instance: string
  readonly number: number
  readonly counts: readonly CallCount[]
}

const statement = { name: 'record-api-calls', text: 'SELECT record_api_calls($1, $2, $3, $4, $5, $6, $7, $8)' }

/**
 * Adds call counts. The instance must use increasing sequence numbers, and must not send the next counts before PostgreSQL has
 * acknowledged these.
 */
export async function recordApiCalls({ pool }: Postgres, { instance, number, counts }: NumberedCounts): Promise<void> {
  const columns = ['organisationId', 'tokenId', 'endpoint', 'status', 'day', 'calls'] as const
  const values = columns.map((name) => counts.map((count) => count[name]))
  await runNamed(pool, statement, [instance, number, ...values])
}
