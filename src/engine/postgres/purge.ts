import { limits, peopleLimits } from '../../base/limits.ts'
import { findRows, type Postgres } from './postgres.ts'

/** What is removed, and at what age. PostgreSQL's function `purge` says how each is found. */
export const purgeAges = {
  idempotency_keys: `${limits.idempotencyHours} hours`,
  /** From then on the same batch is a new one. */
  ingest_batches: `${limits.batchDays} days`,
  rejected_ingest_batches: `${limits.rejectedBatchDays} days`,
  /** An instance that could not send its counts again for longer than this adds them twice. */
  noted_calls: '24 hours',
  api_calls: `${limits.callCountDays} days`,
  /** Each sign-in has a token of its own, whose buckets would stay behind. Those of organisations are few. */
  token_buckets: '1 day',
  sign_in_buckets: `${peopleLimits.signInRefillMs} milliseconds`,
  /** Their tokens, useless since then, stay in the list of tokens. */
  sessions: `${peopleLimits.sessionsKeptDays} days`,
  people_events: `${peopleLimits.eventsKeptYears} years`,
  exports: '0 days',
} as const

/** Some tenths of a second's work, far within the deadline of look-ups. */
const portionRows = 10_000

const statement = { name: 'purge', text: 'SELECT purge($1, $2::interval, $3) AS purged' }

/** Removes all rows of that age, in portions. */
export async function purge({ pool }: Postgres, subject: keyof typeof purgeAges): Promise<void> {
  for (;;) {
    const [portion] = await findRows<{ purged: number }>(pool, statement, [subject, purgeAges[subject], portionRows])
    if (portion === undefined || portion.purged < portionRows) return
  }
}
