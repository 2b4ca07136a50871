import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { millisecondsOfMicroseconds } from '../measure.ts'
import { jitterRules } from '../prefilters/jitter.ts'
import { mobileLatencyRules } from '../prefilters/round-trip.ts'

export default defineMetric({
  key: 'mobileJitter',
  name: 'Mobile jitter',
  description:
    'Variation in the delay of UDP packets sent by a mobile device. Pools all phones, mobile operators, connection types (Wi-Fi included), cellular technologies and countries, and all test servers.',
  unit: 'ms',
  test: 'mobile_latency',
  measure: millisecondsOfMicroseconds(sql`jitter`),
  prefilter: [...mobileLatencyRules, ...jitterRules(sql`jitter`)],
  higherIsBetter: false,
  aggregatedOnly: false,
})
