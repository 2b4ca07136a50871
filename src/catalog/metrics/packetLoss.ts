import { defineMetric } from '../define-metric.ts'
import { failuresOfAttempts } from '../measure.ts'
import { roundTripRules } from '../prefilters/round-trip.ts'

export default defineMetric({
  key: 'packetLoss',
  name: 'Packet loss',
  description: 'Percentage of UDP packets that were not answered within three seconds. Pools all test servers.',
  unit: '%',
  test: 'latency',
  measure: failuresOfAttempts,
  prefilter: roundTripRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
