import { runNamed, type Postgres } from '../postgres.ts'

/** How often a token called an endpoint with one outcome on one UTC day. */
export type CallCount = {
  organisationId: number
  tokenId: number
  endpoint: string
  status: number
  day: string
  calls: number
}

/** Counts that are added once, however often they are sent: they have a number of the copy that sends them. */
export type NumberedCounts = {
  readonly copy: string
  readonly number: number
  readonly counts: readonly CallCount[]
}

const statement = { name: 'note-api-calls', text: 'SELECT note_api_calls($1, $2, $3, $4, $5, $6, $7, $8)' }

/** Numbers of a copy go up, and the next is sent when this one has been answered. */
export async function noteApiCalls({ pool }: Postgres, { copy, number, counts }: NumberedCounts): Promise<void> {
  const columns = ['organisationId', 'tokenId', 'endpoint', 'status', 'day', 'calls'] as const
  const values = columns.map((name) => counts.map((count) => count[name]))
  await runNamed(pool, statement, [copy, number, ...values])
}
