import type { ClientBase } from 'pg'
import { speaking, type Postgres } from './postgres.ts'

/** All advisory locks of one number. Functions of the schema take `claimExport`, and share `invalidateRollups` with the service. */
export const lockNumbers = {
  migrate: 7_041_931_002,
  publishMetadata: 7_041_931_003,
  compactMetadata: 7_041_931_004,
  claimExport: 7_041_931_005,
  recordValues: 7_041_931_006,
  /** Shared by those who invalidate days of rollups; a build that begins waits for them. */
  invalidateRollups: 7_041_931_007,
  buildRollups: 7_041_931_008,
}

type Lock = keyof typeof lockNumbers

/** Waits for the lock of a session and runs `work` under it. An error ends the connection, and the lock with it. */
export async function withAdvisoryLock<Result>(
  client: ClientBase,
  lock: Lock,
  work: () => Promise<Result>,
): Promise<Result> {
  await speaking(() => client.query('SELECT pg_advisory_lock($1)', [lockNumbers[lock]]))
  const result = await work()
  await speaking(() => client.query('SELECT pg_advisory_unlock($1)', [lockNumbers[lock]]))
  return result
}

/** Runs `work` under the lock; null if another session holds it. */
export async function tryAdvisoryLock<Result>(
  { pool }: Postgres,
  lock: Lock,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result | null> {
  const number = lockNumbers[lock]
  const client = await speaking(() => pool.connect())
  try {
    const { rows } = await speaking(() =>
      client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [number]),
    )
    const isLocked = rows[0]?.locked === true
    const result = isLocked ? await work(client) : null
    if (isLocked) await speaking(() => client.query('SELECT pg_advisory_unlock($1)', [number]))
    client.release()
    return result
  } catch (error) {
    client.release(true) // ends the lock too
    throw error
  }
}
