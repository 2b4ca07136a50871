import type { Caller } from '../../../base/caller.ts'
import type { FairLimits } from '../../../base/fair-limits.ts'
import { findRows, type Postgres } from '../postgres.ts'

const statement = {
  name: 'take-requests',
  text: 'SELECT granted, remaining, retry_ms FROM take_requests($1, $2, $3, $4, $5)',
}

export type TakenRequests = { readonly granted: number; readonly remaining: number; readonly retryMs: number }

/** Out of the buckets all copies of the service share. */
export async function takeRequests(
  { organisationId, tokenId }: Caller,
  { pool }: Postgres,
  { organisation, token }: FairLimits,
  wanted: number,
): Promise<TakenRequests> {
  const values = [organisationId, tokenId, wanted, organisation.requestsPerSecond, token.requestsPerSecond]
  type Row = { granted: number; remaining: number; retry_ms: number }
  const [row] = await findRows<Row>(pool, statement, values)
  if (row === undefined) throw new Error('take_requests gave no row')
  return { granted: row.granted, remaining: row.remaining, retryMs: row.retry_ms }
}
