import type { Caller } from '../../../base/caller.ts'
import type { Quotas } from '../../../base/quotas.ts'
import { limits } from '../../../base/limits.ts'
import { findRows, runNamed, type Postgres } from '../postgres.ts'

const statements = {
  begin: {
    name: 'admit-query',
    text: 'SELECT refused_by, retry_ms, others FROM admit_query($1, $2, $3, $4, $5::interval, $6, $7, $8, $9)',
  },
  end: { name: 'end-queries', text: 'SELECT end_queries($1, $2)' },
  renew: { name: 'renew-queries', text: 'SELECT renew_queries($1, $2::interval, $3)' },
}

const lease = `${limits.queryLeaseMs} milliseconds`

export type QueryRefusal = { readonly by: 'queries' | 'engine-seconds'; readonly retryMs: number }

/**
 * The answer to a request for a query slot. `refusal` is null if the query has a slot. `others` is the number of other queries
 * that the organisation runs.
 */
export type Placing = { readonly refusal: QueryRefusal | null; readonly others: number }

export type EndedQuery = { readonly id: string; readonly costMs: number }

/** Takes a query slot, or returns the reason why the query may not run. */
export async function takeQuerySlot(
  { organisationId, tokenId }: Caller,
  { pool }: Postgres,
  { organisation, token }: Quotas,
  { id, instance }: { id: string; instance: string },
): Promise<Placing> {
  const values = [id, organisationId, tokenId, instance, lease]
  const quotas = [organisation.queriesAtOnce, token.queriesAtOnce, organisation.engineSeconds, token.engineSeconds]
  type Row = { refused_by: QueryRefusal['by'] | null; retry_ms: number; others: number }
  const [row] = await findRows<Row>(pool, statements.begin, [...values, ...quotas])
  if (row === undefined) throw new Error('admit_query gave no row')
  const { refused_by: by, retry_ms: retryMs, others } = row
  return { refusal: by === null ? null : { by, retryMs }, others }
}

/** Frees the query slots of queries that have ended, and charges their cost. */
export async function releaseQuerySlots({ pool }: Postgres, ended: readonly EndedQuery[]): Promise<void> {
  await runNamed(pool, statements.end, [ended.map(({ id }) => id), ended.map(({ costMs }) => costMs)])
}

export async function renewQuerySlots({ pool }: Postgres, instance: string, known: readonly string[]): Promise<void> {
  await runNamed(pool, statements.renew, [instance, lease, known])
}
