import { createHash } from 'node:crypto'
import type { ClientBase } from 'pg'
import type { Scope } from '../../../base/caller.ts'
import { Fault, validationFail } from '../../../base/fault.ts'
import { limits } from '../../../base/limits.ts'
import type { IdempotencyKey } from '../../../check/idempotency-key.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, runNamed, type Postgres } from '../postgres.ts'

/** The stored response, which a retry with the same key gets again. */
export type Outcome = { status: number; body: unknown }

/** Returns the outcome of an earlier request with the same key; null if there is none. */
export const readOutcome = async (
  scope: Scope,
  postgres: Postgres,
  key: IdempotencyKey | null,
): Promise<Outcome | null> =>
  key === null ? null : readAsTenant(scope, postgres, (client) => findOutcome(scope, client, key))

/**
 * Runs `work` only once per key. The outcome is stored in the same transaction as the change, so the two exist either together
 * or not at all. A retry gets the stored outcome. Without a key, `work` always runs.
 */
export async function once(
  scope: Scope,
  client: ClientBase,
  key: IdempotencyKey | null,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  if (key === null) return work()
  if (!(await lock(scope, client, key.key))) throw new Fault('CONFLICT', { headers: { 'retry-after': '1' } })
  const stored = await findOutcome(scope, client, key)
  if (stored !== null) return stored
  const outcome = await work()
  const values = [scope.organisationId, key.key, hashOf(key), outcome.status, JSON.stringify(outcome.body)]
  await runNamed(client, insertion, values)
  return outcome
}

async function findOutcome(scope: Scope, client: ClientBase, key: IdempotencyKey): Promise<Outcome | null> {
  const [stored] = await findRows<Stored>(client, selection, [scope.organisationId, key.key])
  if (stored === undefined) return null
  if (!stored.request_sha256.equals(hashOf(key))) {
    throw validationFail({ 'Idempotency-Key': ['This key was used with another request.'] })
  }
  return { status: stored.status, body: stored.body }
}

const hashOf = ({ requestText }: IdempotencyKey): Buffer => createHash('sha256').update(requestText).digest()

/** Takes a lock that ends with the transaction. Returns false while another request with the same key runs. */
async function lock({ organisationId }: Scope, client: ClientBase, key: string): Promise<boolean> {
  const name = createHash('sha256').update(`${organisationId} ${key}`).digest().readBigInt64BE()
  const [row] = await findRows<{ locked: boolean }>(client, locking, [name])
  return row?.locked === true
}

type Stored = { request_sha256: Buffer; status: number; body: unknown }

const locking = { name: 'idempotency-lock', text: 'SELECT pg_try_advisory_xact_lock($1) AS locked' }
const selection = {
  name: 'idempotency-find',
  text: `SELECT request_sha256, status, body FROM idempotency_keys
         WHERE organisation_id = $1 AND key = $2 AND created_at > now() - interval '${limits.idempotencyHours} hours'`,
}
// Replaces the row of an expired key, because the key may be used again.
const insertion = {
  name: 'idempotency-insert',
  text: `INSERT INTO idempotency_keys (organisation_id, key, request_sha256, status, body) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (organisation_id, key) DO UPDATE SET request_sha256 = excluded.request_sha256,
           status = excluded.status, body = excluded.body, created_at = now()`,
}
