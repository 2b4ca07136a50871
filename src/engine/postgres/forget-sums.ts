import type { ClientBase } from 'pg'
import { lockNumbers } from './one-at-a-time.ts'

/** All that is known of sums of old days. While nobody notes results or builds: half of it would be taken for all. */
export async function forgetSums(client: ClientBase): Promise<void> {
  await client.query(
    `BEGIN; SELECT pg_advisory_xact_lock(${lockNumbers.rolling});
     TRUNCATE rollup_days, rollup_panels, rollup_builds, rollup_tests; COMMIT`,
  )
}
