import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import { dropAuditMonths } from '../engine/postgres/audit-records.ts'
import { purgeApiCalls, purgeNotedCalls } from '../engine/postgres/note-api-calls.ts'
import { purgeIdempotencyKeys } from '../engine/postgres/purge-idempotency-keys.ts'
import { purgeIngestBatches } from '../engine/postgres/purge-ingest-batches.ts'
import { purgeTokenBuckets } from '../engine/postgres/purge-token-buckets.ts'
import { purgePeopleEvents, purgeSessions } from '../engine/postgres/people/purge-people.ts'
import { purgeSignIns } from '../engine/postgres/people/sign-in-attempts.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { repeat, type Repeated } from './repeat.ts'

const purges = [
  purgeIdempotencyKeys,
  purgeIngestBatches,
  purgeNotedCalls,
  purgeApiCalls,
  purgeTokenBuckets,
  purgeSignIns,
  purgeSessions,
  purgePeopleEvents,
]

/**
 * Removes what has had its time. Every copy of the service does it; doing it twice removes nothing more. What one purge
 * cannot do keeps no other from its work.
 */
export function keepHouse(postgres: Postgres, auditDays: number, observe: Observe): Repeated {
  const onError = (error: unknown) => observe({ kind: 'store-error', store: 'PostgreSQL', error })
  const purgeAll = async () => {
    for (const purge of purges) await purge(postgres).catch(onError)
    await dropAuditMonths(postgres, auditDays).catch(onError)
  }
  return repeat(purgeAll, limits.housekeepingMs, onError)
}
