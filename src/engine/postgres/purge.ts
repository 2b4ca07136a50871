import { limits, peopleLimits } from '../../base/limits.ts'
import { linkLimits } from '../../check/question/link-request.ts'
import { findRows, type Postgres } from './postgres.ts'

/**
 * The kinds of rows that the purge job deletes, and their age. The SQL function `purge` contains the statement for each kind.
 */
export const purgeAges = {
  idempotency_keys: `${limits.idempotencyHours} hours`,
  /** When the record of a batch is deleted, the same batch counts as new. */
  ingest_batches: `${limits.batchDays} days`,
  rejected_ingest_batches: `${limits.rejectedBatchDays} days`,
  /** If an instance sends its counts again after this time, they are added twice. */
  recorded_calls: '24 hours',
  api_calls: `${limits.callCountDays} days`,
  /** Every sign-in creates a token with buckets, which would otherwise remain forever; so do links. Organisations have few. */
  token_buckets: '1 day',
  sign_in_buckets: `${peopleLimits.signInRefillMs} milliseconds`,
  /** The tokens of these sessions are not deleted; they are no longer valid. */
  sessions: `${peopleLimits.sessionsKeptDays} days`,
  people_events: `${peopleLimits.eventsKeptYears} years`,
  question_links: `${linkLimits.expiredDays} days`,
  exports: '0 days',
} as const

/** Number of rows per statement. Deleting them takes some tenths of a second, far less than the timeout of look-ups. */
const batchRows = 10_000

const statement = { name: 'purge', text: 'SELECT purge($1, $2::interval, $3) AS purged' }

/** Deletes all rows of a kind that have reached their age, in batches. */
export async function purge({ pool }: Postgres, subject: keyof typeof purgeAges): Promise<void> {
  for (;;) {
    const [batch] = await findRows<{ purged: number }>(pool, statement, [subject, purgeAges[subject], batchRows])
    if (batch === undefined || batch.purged < batchRows) return
  }
}
