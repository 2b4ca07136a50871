import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { millisecondsOfMicroseconds } from '../measure.ts'
import { mobileLatencyRules } from '../prefilters/round-trip.ts'

export default defineMetric({
  key: 'mobileLatency',
  name: 'Mobile latency',
  description: 'Mean round-trip time of UDP packets sent by a mobile device.',
  unit: 'ms',
  test: 'mobile_latency',
  measure: millisecondsOfMicroseconds(sql`rtt_avg`),
  prefilter: mobileLatencyRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
