import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { millisecondsOfMicroseconds } from '../measure.ts'
import { pingRules } from '../prefilters/round-trip.ts'

export default defineMetric({
  key: 'ping',
  name: 'Ping',
  description: 'Mean round-trip time of ICMP packets. Pools all test servers.',
  unit: 'ms',
  test: 'ping',
  measure: millisecondsOfMicroseconds(sql`rtt_avg`),
  prefilter: pingRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
