import { findRows, type Postgres } from './postgres.ts'

/** How often a token called an endpoint with one outcome on one UTC day. */
export type CallCount = {
  organisationId: number
  tokenId: number
  endpoint: string
  status: number
  day: string
  calls: number
}

const statement = { name: 'note-api-calls', text: 'SELECT note_api_calls($1, $2, $3, $4, $5, $6)' }

export async function noteApiCalls({ pool }: Postgres, counts: readonly CallCount[]): Promise<void> {
  const columns = ['organisationId', 'tokenId', 'endpoint', 'status', 'day', 'calls'] as const
  await findRows(
    pool,
    statement,
    columns.map((name) => counts.map((count) => count[name])),
  )
}
