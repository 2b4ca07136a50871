import type { Caller } from '../../../base/caller.ts'
import type { FairLimits } from '../../../base/fair-limits.ts'
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

/** Refused, or with a place beside so many others of the organisation. */
export type Placing = { readonly refusal: QueryRefusal | null; readonly others: number }

export type EndedQuery = { readonly id: string; readonly costMs: number }

/** Takes a place for a query, or says what keeps it from running. */
export async function takePlace(
  { organisationId, tokenId }: Caller,
  { pool }: Postgres,
  { organisation, token }: FairLimits,
  { id, copy }: { id: string; copy: string },
): Promise<Placing> {
  const values = [id, organisationId, tokenId, copy, lease]
  const shares = [organisation.queriesAtOnce, token.queriesAtOnce, organisation.engineSeconds, token.engineSeconds]
  type Row = { refused_by: QueryRefusal['by'] | null; retry_ms: number; others: number }
  const [row] = await findRows<Row>(pool, statements.begin, [...values, ...shares])
  if (row === undefined) throw new Error('admit_query gave no row')
  const { refused_by: by, retry_ms: retryMs, others } = row
  return { refusal: by === null ? null : { by, retryMs }, others }
}

/** Gives places back, and charges what the queries have cost. */
export async function leavePlaces({ pool }: Postgres, ended: readonly EndedQuery[]): Promise<void> {
  await runNamed(pool, statements.end, [ended.map(({ id }) => id), ended.map(({ costMs }) => costMs)])
}

export async function renewPlaces({ pool }: Postgres, copy: string, known: readonly string[]): Promise<void> {
  await runNamed(pool, statements.renew, [copy, lease, known])
}
