import { sql } from '../../base/sql.ts'
import type { PrefilterRule } from '../prefilter-rule.ts'

/**
 * Rules for UDP latency tests. They use only the round-trip times and not the number of lost packets, so loss metrics may use
 * them too.
 */
export const roundTripRules: readonly PrefilterRule[] = [
  {
    name: 'below-half-a-millisecond',
    reason: 'No access line is that fast: a device nearer than the server answered.',
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
    reason: 'There are too few packets for a mean.',
    version: 1,
    excludes: sql`successes + failures < 50`,
  },
  {
    name: 'loss-above-10-percent',
    reason: 'The line was faulty, so its delays are not those of a working line.',
    version: 1,
    excludes: sql`failures * 10 > successes + failures`,
  },
]

/**
 * Rules for mobile UDP latency tests. The number of packets sent does not depend on the number of lost packets, so loss metrics
 * may use these rules too.
 */
export const mobileRoundTripRules: readonly PrefilterRule[] = [
  ...roundTripRules,
  {
    name: 'fewer-than-50-packets',
    reason: 'There are too few packets for a mean.',
    version: 1,
    excludes: sql`packets_sent < 50`,
  },
]

export const mobileLatencyRules: readonly PrefilterRule[] = [
  ...mobileRoundTripRules,
  {
    name: 'loss-above-10-percent',
    reason: 'The line was faulty, so its delays are not those of a working line.',
    version: 1,
    excludes: sql`(packets_sent - packets_received) * 10 > packets_sent`,
  },
]

export const pingRules: readonly PrefilterRule[] = [
  { name: 'no-round-trip', reason: 'A round trip takes more than zero time.', version: 1, excludes: sql`rtt_avg <= 0` },
]
