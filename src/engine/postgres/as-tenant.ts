import type { ClientBase } from 'pg'
import type { Scope } from '../../base/caller.ts'
import { Fault } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'
import { mapStoreErrors, sqlStateOf, type Postgres } from './postgres.ts'

/**
 * Runs `work` in a read-only transaction that row-level security restricts to the caller's organisation. The setting ends with
 * the transaction, so a pooled connection never carries the rights of one tenant into the next request. A single read takes one
 * round trip: the first statement is pipelined with BEGIN, and the COMMIT is not awaited. If BEGIN fails, the statement sees no
 * rows, and its result is discarded.
 */
export async function readAsTenant<Result>(
  scope: Scope,
  { pool }: Postgres,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  const begin = beginning(scope, 'READ ONLY')
  const commit = { text: 'COMMIT', query_timeout: limits.lookupTimeoutMs }
  const client = await mapStoreErrors(() => pool.connect())
  try {
    const [, result] = await Promise.all([mapStoreErrors(() => client.query(begin)), work(client)])
    client.query(commit).then(
      () => client.release(),
      () => client.release(true),
    )
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** SQLSTATEs of a conflict with another transaction. A retry can succeed. */
const retriedSqlStates = new Set(['40001', '40P01'])

/**
 * Runs `work` in a read-write transaction of the caller's organisation: either all of its changes are made, or none. After a
 * deadlock or a serialization failure nothing has changed, and `work` is retried with exponential backoff and jitter.
 */
export async function changeAsTenant<Result>(
  scope: Scope,
  postgres: Postgres,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(scope, postgres, work)
    } catch (error) {
      if (attempt >= limits.transactionAttemptsMax || !retriedSqlStates.has(sqlStateOf(error))) throw error
      await new Promise((resolve) => setTimeout(resolve, 10 * 2 ** attempt * (1 + Math.random())))
    }
  }
}

async function inTransaction<Result>(
  scope: Scope,
  { pool }: Postgres,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  const begin = beginning(scope, 'READ WRITE', `; SET LOCAL statement_timeout = ${limits.changeTimeoutMs}`)
  const commit = { text: 'COMMIT', query_timeout: limits.clientTimeoutMs }
  const client = await mapStoreErrors(() => pool.connect())
  try {
    // BEGIN must be awaited: without the transaction, each statement would commit on its own.
    await mapStoreErrors(() => client.query(begin))
    const result = await work(client)
    await mapStoreErrors(() => client.query(commit))
    client.release()
    return result
  } catch (error) {
    // After a rejected request (4xx), roll back and keep the connection. In all other cases close the connection: this ends the
    // transaction in any state, also if the server no longer responds.
    const isUndone = error instanceof Fault && error.status < 500 && (await isRolledBack(client))
    client.release(!isUndone)
    throw error
  }
}

function isRolledBack(client: ClientBase): Promise<boolean> {
  const rollback = { text: 'ROLLBACK', query_timeout: limits.clientTimeoutMs }
  return client.query(rollback).then(
    () => true,
    () => false,
  )
}

/**
 * The statement that begins a transaction and sets the tenant. Two statements in one round trip cannot have parameters, so
 * `tenantNumber` checks the number before it becomes part of the text.
 */
const beginning = (scope: Scope, mode: 'READ ONLY' | 'READ WRITE', more = '') => ({
  text: `BEGIN ${mode}; SET LOCAL broadgauge.organisation = '${tenantNumber(scope)}'${more}`,
  query_timeout: limits.lookupTimeoutMs,
})

function tenantNumber({ organisationId }: Scope): number {
  if (!Number.isSafeInteger(organisationId)) throw new TypeError('a scope without an organisation')
  return organisationId
}
