import type { ClientBase } from 'pg'
import { withAdvisoryLock } from '../advisory-locks.ts'
import { changeYielding } from '../schema/yielding-change.ts'

/**
 * All that is known of sums of old days. While nobody notes results or builds: half of it would be taken for all. Their lock
 * is waited for to the end, because no caller queues behind it; an error ends the connection, and the lock.
 */
export async function forgetSums(client: ClientBase): Promise<void> {
  await withAdvisoryLock(client, 'buildRollups', () =>
    changeYielding(client, 'Forgetting the sums of old days', async () => {
      await client.query('TRUNCATE rollup_days, rollup_panels, rollup_builds, rollup_tests')
    }),
  )
}
