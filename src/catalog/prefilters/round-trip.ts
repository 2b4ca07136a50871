import { sql } from '../../base/sql.ts'
import type { PrefilterRule } from '../prefilter-rule.ts'

/** Rules of the UDP latency tests that look at the times alone; loss metrics may use them too. */
export const roundTripRules: readonly PrefilterRule[] = [
  {
    name: 'below-half-a-millisecond',
    reason: 'No access line answers that fast; something nearer than the server did.',
    version: 1,
    excludes: sql`rtt_min < 500`,
  },
  {
    name: 'spread-above-300-milliseconds',
    reason: 'The line was in use while the test ran.',
    version: 1,
    excludes: sql`rtt_max - rtt_min > 300000`,
  },
]

export const latencyRules: readonly PrefilterRule[] = [
  ...roundTripRules,
  {
    name: 'fewer-than-50-packets',
    reason: 'Too few packets for a mean.',
    version: 1,
    excludes: sql`successes + failures < 50`,
  },
  {
    name: 'loss-above-10-percent',
    reason: 'The line was faulty, and its delays are not those of a working one.',
    version: 1,
    excludes: sql`failures * 10 > successes + failures`,
  },
]

/** The number of packets sent tells nothing of their fate, so loss may use this rule too. */
export const mobileRoundTripRules: readonly PrefilterRule[] = [
  ...roundTripRules,
  {
    name: 'fewer-than-50-packets',
    reason: 'Too few packets for a mean.',
    version: 1,
    excludes: sql`packets_sent < 50`,
  },
]

export const mobileLatencyRules: readonly PrefilterRule[] = [
  ...mobileRoundTripRules,
  {
    name: 'loss-above-10-percent',
    reason: 'The line was faulty, and its delays are not those of a working one.',
    version: 1,
    excludes: sql`(packets_sent - packets_received) * 10 > packets_sent`,
  },
]

export const pingRules: readonly PrefilterRule[] = [
  { name: 'no-round-trip', reason: 'An answer takes time.', version: 1, excludes: sql`rtt_avg <= 0` },
]
