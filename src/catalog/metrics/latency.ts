import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { millisecondsOfMicroseconds } from '../measure.ts'
import { latencyRules } from '../prefilters/round-trip.ts'

export default defineMetric({
  key: 'latency',
  name: 'Latency',
  description: 'Mean round-trip time of UDP packets sent over a long period. Pools all test servers.',
  unit: 'ms',
  test: 'latency',
  measure: millisecondsOfMicroseconds(sql`rtt_avg`),
  prefilter: latencyRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
