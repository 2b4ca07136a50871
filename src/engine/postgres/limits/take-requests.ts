import type { Caller } from '../../../base/caller.ts'
import type { Quotas } from '../../../base/quotas.ts'
import { findRows, type Postgres } from '../postgres.ts'

const statement = {
  name: 'take-requests',
  text: 'SELECT granted, remaining, retry_ms, exhausted FROM take_requests($1, $2, $3, $4, $5)',
}

export type TakenRequests = {
  readonly granted: number
  readonly remaining: number
  readonly retryMs: number
  /** The bucket that must refill before the next request is granted. Null if requests were granted. */
  readonly exhausted: keyof Quotas | null
}

/**
 * Takes the bucket tokens for `wanted` requests from the bucket of the organisation and the bucket of the API token. All
 * instances share these buckets.
 */
export async function takeRequests(
  { organisationId, tokenId }: Caller,
  { pool }: Postgres,
  { organisation, token }: Quotas,
  wanted: number,
): Promise<TakenRequests> {
  const values = [organisationId, tokenId, wanted, organisation.requestsPerSecond, token.requestsPerSecond]
  type Row = { granted: number; remaining: number; retry_ms: number; exhausted: keyof Quotas | null }
  const [row] = await findRows<Row>(pool, statement, values)
  if (row === undefined) throw new Error('take_requests gave no row')
  return { granted: row.granted, remaining: row.remaining, retryMs: row.retry_ms, exhausted: row.exhausted }
}
