import { createHash } from 'node:crypto'
import type { ClientBase } from 'pg'
import type { Scope } from '../../base/caller.ts'
import { Fault, validationFail } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'
import type { IdempotencyKey } from '../../check/idempotency-key.ts'
import { findRows } from './postgres.ts'

/** An outcome worth repeating to whoever asks again with the same key. */
export type Outcome = { status: number; body: unknown }

/**
 * Runs `work` once for a key: its outcome is stored in the same transaction, so it is there exactly when the change is.
 * Asked again, the stored outcome is the answer. Without a key it just runs.
 */
export async function once(
  scope: Scope,
  client: ClientBase,
  key: IdempotencyKey | null,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  if (key === null) return work()
  const requestHash = createHash('sha256').update(key.requestText).digest()
  if (!(await lock(scope, client, key.key))) throw new Fault('CONFLICT', { headers: { 'retry-after': '1' } })
  const stored = await find(scope, client, key.key)
  if (stored !== undefined) {
    if (!stored.request_sha256.equals(requestHash)) {
      throw validationFail({ 'Idempotency-Key': ['This key was used with another request.'] })
    }
    return { status: stored.status, body: stored.body }
  }
  const outcome = await work()
  await findRows(client, insertion, [
    scope.organisationId,
    key.key,
    requestHash,
    outcome.status,
    JSON.stringify(outcome.body),
  ])
  return outcome
}

/** Held until the transaction ends; taken by a request with the same key that is still running. */
async function lock({ organisationId }: Scope, client: ClientBase, key: string): Promise<boolean> {
  const name = createHash('sha256').update(`${organisationId} ${key}`).digest().readBigInt64BE()
  const [row] = await findRows<{ locked: boolean }>(client, locking, [name])
  return row?.locked === true
}

const find = async ({ organisationId }: Scope, client: ClientBase, key: string): Promise<Stored | undefined> =>
  (await findRows<Stored>(client, selection, [organisationId, key]))[0]

type Stored = { request_sha256: Buffer; status: number; body: unknown }

const locking = { name: 'idempotency-lock', text: 'SELECT pg_try_advisory_xact_lock($1) AS locked' }
const selection = {
  name: 'idempotency-find',
  text: `SELECT request_sha256, status, body FROM idempotency_keys
         WHERE organisation_id = $1 AND key = $2 AND created_at > now() - interval '${limits.idempotencyHours} hours'`,
}
// A key that is older than its time may be used afresh.
const insertion = {
  name: 'idempotency-insert',
  text: `WITH expired AS (DELETE FROM idempotency_keys WHERE organisation_id = $1 AND key = $2)
         INSERT INTO idempotency_keys (organisation_id, key, request_sha256, status, body) VALUES ($1, $2, $3, $4, $5)`,
}
