import type { ClientBase } from 'pg'
import { mapStoreErrors, type Postgres } from './postgres.ts'

/**
 * The numbers of all advisory locks that have a fixed number. SQL functions of the schema take the locks `claimExport` and
 * `invalidateRollups`.
 */
export const lockNumbers = {
  migrate: 7_041_931_002,
  publishMetadata: 7_041_931_003,
  compactMetadata: 7_041_931_004,
  claimExport: 7_041_931_005,
  recordValues: 7_041_931_006,
  /** Transactions that invalidate days of rollups share this lock. A build waits for these transactions before it begins. */
  invalidateRollups: 7_041_931_007,
  buildRollups: 7_041_931_008,
  publishSpeeds: 7_041_931_009,
}

type Lock = keyof typeof lockNumbers

/**
 * Waits for a session-level lock and runs `work` while it holds the lock. After an error, the caller must close the connection,
 * which releases the lock.
 */
export async function withAdvisoryLock<Result>(
  client: ClientBase,
  lock: Lock,
  work: () => Promise<Result>,
): Promise<Result> {
  await mapStoreErrors(() => client.query('SELECT pg_advisory_lock($1)', [lockNumbers[lock]]))
  const result = await work()
  await mapStoreErrors(() => client.query('SELECT pg_advisory_unlock($1)', [lockNumbers[lock]]))
  return result
}

/** Runs `work` while it holds the lock. Returns null without running it if another session holds the lock. */
export async function tryAdvisoryLock<Result>(
  { pool }: Postgres,
  lock: Lock,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result | null> {
  const number = lockNumbers[lock]
  const client = await mapStoreErrors(() => pool.connect())
  try {
    const { rows } = await mapStoreErrors(() =>
      client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [number]),
    )
    const isLocked = rows[0]?.locked === true
    const result = isLocked ? await work(client) : null
    if (isLocked) await mapStoreErrors(() => client.query('SELECT pg_advisory_unlock($1)', [number]))
    client.release()
    return result
  } catch (error) {
    client.release(true) // also releases the lock
    throw error
  }
}
