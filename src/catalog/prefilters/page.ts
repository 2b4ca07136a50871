import { sql } from '../../base/sql.ts'
import type { PrefilterRule } from '../prefilter-rule.ts'

/** Rules for tests that load web pages, on fixed and mobile agents. */
export const pageRules: readonly PrefilterRule[] = [
  {
    name: 'impossible-fetch-time',
    reason: 'Below 50 ms, the page was not fetched from the site. After 30 s, the test gives up.',
    version: 1,
    excludes: sql`fetch_time < 50000 OR fetch_time > 30000000`,
  },
]
