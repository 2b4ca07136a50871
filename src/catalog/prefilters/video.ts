import { sql } from '../../base/sql.ts'
import type { PrefilterRule } from '../prefilter-rule.ts'

/** Rules for Netflix and YouTube tests, on fixed and mobile agents. */
export const videoRules: readonly PrefilterRule[] = [
  {
    name: 'ended-by-an-error',
    reason: 'The stream ended early. The rule keeps results with a stall, because the test measures stalls.',
    version: 2,
    // Matches `stall`, `STALLED` and `too_many_stalls`, but not `install_failed`.
    excludes: sql`notEmpty(error) AND NOT match(concat(' ', error), '(?i)[^a-z]stall')`,
  },
  {
    name: 'prebuffering-above-10-seconds',
    reason: 'A viewer would have stopped watching.',
    version: 1,
    excludes: sql`prebuffering_duration > 10000000`,
  },
]
