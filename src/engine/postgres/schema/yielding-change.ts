import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { UserFacingError } from '../../../base/fault.ts'
import { sqlStateOf } from '../postgres.ts'

/**
 * How a change waits for table locks.
 *
 * - `lockMs`: how long it waits for one lock.
 * - `pauseMs`: the pause after a failed attempt, in which other transactions can proceed.
 * - `totalMs`: when it stops trying.
 */
export type LockTimeouts = { readonly lockMs: number; readonly pauseMs: number; readonly totalMs: number }

const usualPatience: LockTimeouts = { lockMs: 2_000, pauseMs: 5_000, totalMs: 600_000 }

export const lockNotAvailable = '55P03'

/**
 * Runs `work` in one transaction. While `work` waits for a table lock, every later statement on the table queues behind it,
 * even a token look-up. A dump can hold the table for an hour. Therefore each attempt ends after seconds, and the next attempt
 * follows after a pause in which the queue drains.
 */
export async function changeYielding(
  client: ClientBase,
  what: string,
  work: () => Promise<void>,
  { lockMs, pauseMs, totalMs }: LockTimeouts = usualPatience,
): Promise<void> {
  for (const deadline = performance.now() + totalMs; ;) {
    try {
      await inTransaction(client, lockMs, work)
      return
    } catch (error) {
      if (sqlStateOf(error) !== lockNotAvailable) throw error
      if (performance.now() + pauseMs > deadline) throw lockTimeout(what, totalMs, error)
      await sleep(pauseMs)
    }
  }
}

async function inTransaction(client: ClientBase, lockMs: number, work: () => Promise<void>): Promise<void> {
  await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockMs}`)
  try {
    await work()
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

const lockTimeout = (what: string, totalMs: number, cause: unknown): UserFacingError =>
  new UserFacingError(
    `${what} did not get a lock within ${Math.round(totalMs / 1000)} s and changed nothing, because another transaction holds ` +
      'a lock on the table. Find the transaction with the earliest xact_start in pg_stat_activity, for example a pg_dump ' +
      'or a large change. Wait until it ends, or end it, and run broadgauge migrate again.',
    cause,
  )
