import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import { dropAuditMonths } from '../engine/postgres/audit/audit-records.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { purge } from '../engine/postgres/purge.ts'
import { repeat, type Repeated } from './repeat.ts'

/** Tables that are purged every hour. Exports are not among them: the export worker removes them together with their files. */
const hourly = [
  'idempotency_keys',
  'ingest_batches',
  'rejected_ingest_batches',
  'recorded_calls',
  'api_calls',
  'token_buckets',
  'sign_in_buckets',
  'sessions',
  'people_events',
  'question_links',
] as const

/**
 * Removes expired rows. Every instance runs this job, which is safe because it is idempotent. If one purge fails, the others
 * still run.
 */
export function purgeExpired(postgres: Postgres, auditDays: number, observe: Observe): Repeated {
  const onError = (error: unknown) => observe({ kind: 'store-error', store: 'PostgreSQL', error })
  const purgeAll = async () => {
    for (const subject of hourly) await purge(postgres, subject).catch(onError)
    await dropAuditMonths(postgres, auditDays).catch(onError)
  }
  return repeat(purgeAll, limits.purgeMs, onError)
}
