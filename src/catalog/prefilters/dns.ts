import { sql } from '../../base/sql.ts'
import type { PrefilterRule } from '../prefilter-rule.ts'

export const dnsRules: readonly PrefilterRule[] = [
  {
    name: 'impossible-response-time',
    reason: 'The value is zero, negative or above ten seconds. A resolver gives up earlier than that.',
    version: 1,
    excludes: sql`rtt <= 0 OR rtt > 10000000`,
  },
]
