import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { millisecondsOfMicroseconds } from '../measure.ts'
import { mobileLatencyRules } from '../prefilters/round-trip.ts'

export default defineMetric({
  key: 'mobileLatency',
  name: 'Mobile latency',
  description:
    'Mean round-trip time of UDP packets sent by a mobile device. Pools all phones, mobile operators, connection types (Wi-Fi included), cellular technologies and countries, and all test servers.',
  unit: 'ms',
  test: 'mobile_latency',
  measure: millisecondsOfMicroseconds(sql`rtt_avg`),
  prefilter: mobileLatencyRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
