import { sql } from '../../base/sql.ts'
import type { PrefilterRule } from '../prefilter-rule.ts'

/** Netflix and YouTube, fixed and mobile. */
export const videoRules: readonly PrefilterRule[] = [
  {
    name: 'ended-by-an-error',
    reason: 'The stream ended early. A stall is what the test is there to see, and stays.',
    version: 2,
    // `stall`, `STALLED`, `too_many_stalls`; not `install_failed`.
    excludes: sql`notEmpty(error) AND NOT match(concat(' ', error), '(?i)[^a-z]stall')`,
  },
  {
    name: 'prebuffering-above-10-seconds',
    reason: 'A viewer would have left.',
    version: 1,
    excludes: sql`prebuffering_duration > 10000000`,
  },
]
