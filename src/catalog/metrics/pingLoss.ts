import { defineMetric } from '../define-metric.ts'
import { failuresOfAttempts } from '../measure.ts'
import { pingRules } from '../prefilters/round-trip.ts'

export default defineMetric({
  key: 'pingLoss',
  name: 'Ping loss',
  description: 'Percentage of ICMP packets that were not answered within three seconds. Pools all test servers.',
  unit: '%',
  test: 'ping',
  measure: failuresOfAttempts,
  prefilter: pingRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
