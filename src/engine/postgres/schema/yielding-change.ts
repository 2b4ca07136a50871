import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { SpokenError } from '../../../base/fault.ts'
import { sqlStateOf } from '../postgres.ts'

/** How long one lock is waited for, how long the others then have their way, and for how long it is tried in all. */
export type LockPatience = { readonly lockMs: number; readonly pauseMs: number; readonly totalMs: number }

const usualPatience: LockPatience = { lockMs: 2_000, pauseMs: 5_000, totalMs: 600_000 }

const lockNotAvailable = '55P03'

/**
 * Runs `work` in a transaction, all of it or nothing, and does not stand in anybody's way while it waits for a table:
 * whoever wants a table after it, if only to look up a token, queues behind it, and a dump may hold the table for an hour.
 * So it gives up its place after seconds, and tries again when those who stood behind it have been served.
 */
export async function changeYielding(
  client: ClientBase,
  what: string,
  work: () => Promise<void>,
  { lockMs, pauseMs, totalMs }: LockPatience = usualPatience,
): Promise<void> {
  for (const deadline = performance.now() + totalMs; ;) {
    try {
      await inTransaction(client, lockMs, work)
      return
    } catch (error) {
      if (sqlStateOf(error) !== lockNotAvailable) throw error
      if (performance.now() + pauseMs > deadline) throw heldFromUs(what, totalMs, error)
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

const heldFromUs = (what: string, totalMs: number, cause: unknown): SpokenError =>
  new SpokenError(
    `${what} did not get a lock within ${Math.round(totalMs / 1000)} s and left nothing behind: another transaction holds ` +
      'a table it changes. Find the one with the earliest xact_start in pg_stat_activity, a pg_dump or a large change ' +
      'perhaps; wait for it or end it, and run broadgauge migrate again.',
    cause,
  )
