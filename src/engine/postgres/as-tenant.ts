import type { ClientBase } from 'pg'
import type { Scope } from '../../base/caller.ts'
import { Fault } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'
import { speaking, sqlStateOf, type Postgres } from './postgres.ts'

/**
 * Runs `work` in a read-only transaction that row-level security limits to the caller's organisation. The setting ends
 * with the transaction, so a pooled connection never carries one tenant's rights into the next request. Reading once costs
 * one round trip: the first statement is sent along with the beginning, and nobody waits for the end. Were there no
 * beginning, a statement would see nothing, and its answer is not used.
 */
export async function readAsTenant<Result>(
  scope: Scope,
  { pool }: Postgres,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  const begin = beginning(scope, 'READ ONLY')
  const commit = { text: 'COMMIT', query_timeout: limits.lookupTimeoutMs }
  const client = await speaking(() => pool.connect())
  try {
    const [, result] = await Promise.all([speaking(() => client.query(begin)), work(client)])
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

/** What another transaction can do to ours that a second try mends. */
const retriedSqlStates = new Set(['40001', '40P01'])

/**
 * The same for changes: all of `work` or nothing. Deadlocks and serialization failures have changed nothing and are tried
 * again, after a pause that grows and differs so that two that met do not meet again.
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
  const client = await speaking(() => pool.connect())
  try {
    // Waited for: without it each statement would be a change of its own.
    await speaking(() => client.query(begin))
    const result = await work(client)
    await speaking(() => client.query(commit))
    client.release()
    return result
  } catch (error) {
    // What we have refused ourselves is undone. Otherwise closing the connection ends the transaction whatever state it is
    // in, also when the server no longer answers.
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

/** Two statements in one round trip take no parameters; the organisation is a number of ours and is made sure of. */
const beginning = (scope: Scope, mode: 'READ ONLY' | 'READ WRITE', more = '') => ({
  text: `BEGIN ${mode}; SET LOCAL broadgauge.organisation = '${tenantNumber(scope)}'${more}`,
  query_timeout: limits.lookupTimeoutMs,
})

function tenantNumber({ organisationId }: Scope): number {
  if (!Number.isSafeInteger(organisationId)) throw new TypeError('a scope without an organisation')
  return organisationId
}
