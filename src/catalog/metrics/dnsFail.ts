import { defineMetric } from '../define-metric.ts'
import { failuresOfAttempts } from '../measure.ts'

export default defineMetric({
  key: 'dnsFail',
  name: 'DNS failures',
  description: 'Share of the DNS look-ups that failed.',
  unit: '%',
  test: 'dns',
  measure: failuresOfAttempts,
  prefilter: [],
  higherIsBetter: false,
  aggregatedOnly: true,
})
