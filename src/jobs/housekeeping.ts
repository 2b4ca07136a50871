import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import { purgeIdempotencyKeys } from '../engine/postgres/purge-idempotency-keys.ts'
import { purgeIngestBatches } from '../engine/postgres/purge-ingest-batches.ts'
import { purgePeopleEvents, purgeSessions } from '../engine/postgres/people/purge-people.ts'
import { purgeSignIns } from '../engine/postgres/people/sign-in-attempts.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { repeat, type Repeated } from './repeat.ts'

/** Removes what has had its time. Every copy of the service does it; doing it twice removes nothing more. */
export const keepHouse = (postgres: Postgres, observe: Observe): Repeated =>
  repeat(
    async () => {
      await purgeIdempotencyKeys(postgres)
      await purgeIngestBatches(postgres)
      await purgeSignIns(postgres)
      await purgeSessions(postgres)
      await purgePeopleEvents(postgres)
    },
    limits.housekeepingMs,
    (error) => observe({ kind: 'store-error', store: 'PostgreSQL', error }),
  )
