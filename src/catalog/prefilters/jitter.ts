import { sql, type Sql } from '../../base/sql.ts'
import type { PrefilterRule } from '../prefilter-rule.ts'

export const jitterRules = (jitter: Sql): readonly PrefilterRule[] => [
  {
    name: 'clock-step',
    reason:
      'The value is negative or above ten seconds. No access line has such jitter: a clock was set during the test.',
    version: 1,
    excludes: sql`${jitter} < 0 OR ${jitter} > 10000000`,
  },
]
