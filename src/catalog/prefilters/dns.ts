import { sql } from '../../base/sql.ts'
import type { PrefilterRule } from '../prefilter-rule.ts'

export const dnsRules: readonly PrefilterRule[] = [
  {
    name: 'impossible-response-time',
    reason: 'Not above zero, or above ten seconds, when the resolver has long given up.',
    version: 1,
    excludes: sql`rtt <= 0 OR rtt > 10000000`,
  },
]
