import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { millisecondsOfMicroseconds } from '../measure.ts'
import { jitterRules } from '../prefilters/jitter.ts'

export default defineMetric({
  key: 'jitterDown',
  name: 'Downstream jitter',
  description: 'Variation in the delay of the packets of a voice-like stream, downstream. Pools all test servers.',
  unit: 'ms',
  test: 'jitter',
  measure: millisecondsOfMicroseconds(sql`jitter_down`),
  prefilter: jitterRules(sql`jitter_down`),
  higherIsBetter: false,
  aggregatedOnly: false,
})
