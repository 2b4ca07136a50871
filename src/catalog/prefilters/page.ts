import { sql } from '../../base/sql.ts'
import type { PrefilterRule } from '../prefilter-rule.ts'

/** Web pages, fixed and mobile. */
export const pageRules: readonly PrefilterRule[] = [
  {
    name: 'impossible-fetch-time',
    reason: 'Below 50 ms the page was not fetched from the site; above 30 s the test had given up.',
    version: 1,
    excludes: sql`fetch_time < 50000 OR fetch_time > 30000000`,
  },
]
