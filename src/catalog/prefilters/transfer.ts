import { sql } from '../../base/sql.ts'
import type { PrefilterRule } from '../prefilter-rule.ts'

/** Rules for download and upload tests, on fixed and mobile agents. */
export const transferRules: readonly PrefilterRule[] = [
  { name: 'no-throughput', reason: 'Nothing was transferred.', version: 1, excludes: sql`bytes_sec <= 0` },
  {
    name: 'above-10-gigabit',
    reason: 'No line of the panel carries more than 10 Gbit/s.',
    version: 1,
    excludes: sql`bytes_sec > 1250000000`,
  },
  {
    name: 'no-warm-up',
    reason: 'Without a warm-up the value includes the time in which TCP opens its window.',
    version: 1,
    // In this rule a missing value excludes the row. In all other rules it does not.
    excludes: sql`isNull(warmup_time) OR warmup_time <= 0`,
  },
]
