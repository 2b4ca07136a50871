import { sql } from '../../base/sql.ts'
import type { PrefilterRule } from '../prefilter-rule.ts'

/** Downloads and uploads, fixed and mobile. */
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
    reason: 'Without a warm-up the figure contains the opening of the TCP window.',
    version: 1,
    // The one rule in which a missing value is itself the fault.
    excludes: sql`isNull(warmup_time) OR warmup_time <= 0`,
  },
]
