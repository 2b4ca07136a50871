import type { ClientBase } from 'pg'
import { speaking, type Postgres } from './postgres.ts'

/** Any numbers will do, as long as every copy of the service uses the same ones, and nobody else: migrations have some too. */
export const lockNumbers = {
  telling: 7_041_931_003,
  settling: 7_041_931_004,
  noting: 7_041_931_006,
  rolling: 7_041_931_008,
}

/** The one that is shared with functions of the database: whoever spoils days of sums holds it, and a build that begins waits. */
export const spoilingLock = 7_041_931_007

/** Waits until nobody tells the engine, then runs `work` while nobody can. An error ends the connection, and the lock. */
export async function whileNobodyTells(client: ClientBase, work: () => Promise<void>): Promise<void> {
  await speaking(() => client.query('SELECT pg_advisory_lock($1)', [lockNumbers.telling]))
  await work()
  await speaking(() => client.query('SELECT pg_advisory_unlock($1)', [lockNumbers.telling]))
}

/** Runs `work` unless another copy of the service is at it; then that one does it, and null is the answer. */
export async function ifNobodyElse<Result>(
  { pool }: Postgres,
  task: keyof typeof lockNumbers,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result | null> {
  const client = await speaking(() => pool.connect())
  try {
    const { rows } = await speaking(() =>
      client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [lockNumbers[task]]),
    )
    const result = rows[0]?.locked === true ? await work(client) : null
    if (rows[0]?.locked === true)
      await speaking(() => client.query('SELECT pg_advisory_unlock($1)', [lockNumbers[task]]))
    client.release()
    return result
  } catch (error) {
    client.release(true) // ends the lock too
    throw error
  }
}
