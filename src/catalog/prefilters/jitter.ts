import { sql, type Sql } from '../../base/sql.ts'
import type { PrefilterRule } from '../prefilter-rule.ts'

export const jitterRules = (jitter: Sql): readonly PrefilterRule[] => [
  {
    name: 'clock-step',
    reason: 'Negative, or above ten seconds: a clock was set while the test ran; no access line jitters that much.',
    version: 1,
    excludes: sql`${jitter} < 0 OR ${jitter} > 10000000`,
  },
]
