import { sql } from '../../base/sql.ts'
import type { PrefilterRule } from '../prefilter-rule.ts'

export const usageRules: readonly PrefilterRule[] = [
  {
    name: 'counter-wrapped',
    reason: 'A counter is negative or above 100 GB: it wrapped around or was reset.',
    version: 1,
    // `least` and `greatest` ignore nulls. If one counter is missing, the rule still finds a wrapped value in the others.
    excludes: sql`least(wan_rx_bytes, wan_tx_bytes, sk_rx_bytes, sk_tx_bytes) < 0 OR greatest(wan_rx_bytes, wan_tx_bytes, sk_rx_bytes, sk_tx_bytes) > 100000000000`,
  },
  {
    name: 'more-than-all',
    reason: 'The tests cannot have transferred more than the whole line.',
    version: 1,
    excludes: sql`sk_rx_bytes > wan_rx_bytes OR sk_tx_bytes > wan_tx_bytes`,
  },
]
