import type { Scope } from '../../../base/caller.ts'
import { limits } from '../../../base/limits.ts'
import { changeAsTenant } from '../as-tenant.ts'
import { findRows, runNamed, type Postgres } from '../postgres.ts'

/** Identifies a batch by its content. */
export type BatchKey = { readonly test: string; readonly sha256: Uint8Array }

/** The number of rows of a batch by outcome. Every row has exactly one outcome. */
export type BatchTotals = { readonly accepted: number; readonly duplicates: number; readonly rejected: number }

/**
 * What an instance must do with a batch.
 *
 * - `first`: store it.
 * - `again`: store the missing rows. An earlier attempt was started, or some rows were rejected.
 * - `stored`: nothing, because it is stored completely.
 * - `busy`: wait, because another instance stores it.
 */
export type BatchClaim =
  | { kind: 'first' | 'again'; attempt: number }
  | { kind: 'stored'; totals: BatchTotals }
  | { kind: 'busy' }

const statements = {
  begin: {
    name: 'begin-ingest-batch',
    text: `INSERT INTO ingest_batches AS batch (organisation_id, test, sha256, leased_until)
           VALUES ($1, $2, $3, now() + $4::interval)
           ON CONFLICT (organisation_id, test, sha256) DO UPDATE
             SET attempts = batch.attempts + 1, leased_until = excluded.leased_until
             WHERE (batch.leased_until IS NULL OR batch.leased_until < now())
               AND (batch.stored_at IS NULL OR batch.rejected > 0)
           RETURNING attempts`,
  },
  find: {
    name: 'find-ingest-batch',
    text: `SELECT stored_at IS NOT NULL AND rejected = 0 AS stored, accepted::integer, duplicates::integer, rejected::integer
           FROM ingest_batches WHERE organisation_id = $1 AND test = $2 AND sha256 = $3`,
  },
  finish: {
    name: 'finish-ingest-batch',
    text: `UPDATE ingest_batches SET stored_at = now(), leased_until = NULL, accepted = $4, duplicates = $5, rejected = $6
           WHERE organisation_id = $1 AND test = $2 AND sha256 = $3 AND attempts = $7`,
  },
  renew: {
    name: 'renew-ingest-batch',
    text: `UPDATE ingest_batches SET leased_until = now() + $5::interval
           WHERE organisation_id = $1 AND test = $2 AND sha256 = $3 AND attempts = $4 AND leased_until IS NOT NULL
           RETURNING attempts`,
  },
  release: {
    name: 'release-ingest-batch',
    text: `UPDATE ingest_batches SET leased_until = NULL
           WHERE organisation_id = $1 AND test = $2 AND sha256 = $3 AND attempts = $4`,
  },
}

const lease = `${limits.batchLeaseMs} milliseconds`

/**
 * Claims a batch. The record is written before the insert into ClickHouse. So a later attempt knows that this attempt was
 * started, even if the instance is killed.
 */
export async function beginBatch(scope: Scope, postgres: Postgres, key: BatchKey): Promise<BatchClaim> {
  const values = valuesOf(scope, key)
  return changeAsTenant(scope, postgres, async (client) => {
    const [turn] = await findRows<{ attempts: number }>(client, statements.begin, [...values, lease])
    if (turn !== undefined) return { kind: turn.attempts === 1 ? 'first' : 'again', attempt: turn.attempts }
    const [found] = await findRows<{ stored: boolean } & BatchTotals>(client, statements.find, values)
    if (found?.stored !== true) return { kind: 'busy' }
    const { accepted, duplicates, rejected } = found
    return { kind: 'stored', totals: { accepted, duplicates, rejected } }
  })
}

/**
 * Records the totals of a batch. Has no effect if a later attempt has taken over the batch; the later attempt then records the
 * totals.
 */
export async function finishBatch(
  scope: Scope,
  postgres: Postgres,
  key: BatchKey,
  attempt: number,
  totals: BatchTotals,
): Promise<void> {
  const values = [...valuesOf(scope, key), totals.accepted, totals.duplicates, totals.rejected, attempt]
  await changeAsTenant(scope, postgres, (client) => runNamed(client, statements.finish, values))
}

/** Renews the lease of a batch. Returns true if the batch still belongs to this attempt. */
export async function renewBatch(scope: Scope, postgres: Postgres, key: BatchKey, attempt: number): Promise<boolean> {
  const values = [...valuesOf(scope, key), attempt, lease]
  const rows = await changeAsTenant(scope, postgres, (client) => findRows(client, statements.renew, values))
  return rows.length === 1
}

/** Ends the lease of a batch, so that another attempt can start at once. That attempt finds out which rows are stored. */
export async function releaseBatch(scope: Scope, postgres: Postgres, key: BatchKey, attempt: number): Promise<void> {
  const values = [...valuesOf(scope, key), attempt]
  await changeAsTenant(scope, postgres, (client) => runNamed(client, statements.release, values))
}

const valuesOf = ({ organisationId }: Scope, { test, sha256 }: BatchKey) => [organisationId, test, sha256]
