import { defineMetric } from '../define-metric.ts'
import { failuresOfAttempts } from '../measure.ts'

export default defineMetric({
  key: 'dnsFail',
  name: 'DNS failures',
  description: 'Percentage of DNS lookups that failed. Pools all name servers and host names.',
  unit: '%',
  test: 'dns',
  measure: failuresOfAttempts,
  prefilter: [],
  higherIsBetter: false,
  aggregatedOnly: true,
})
