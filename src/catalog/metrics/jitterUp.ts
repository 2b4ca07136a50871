import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { millisecondsOfMicroseconds } from '../measure.ts'
import { jitterRules } from '../prefilters/jitter.ts'

export default defineMetric({
  key: 'jitterUp',
  name: 'Upstream jitter',
  description: 'Variation in the delay of the packets of a voice-like stream, upstream. Pools all test servers.',
  unit: 'ms',
  test: 'jitter',
  measure: millisecondsOfMicroseconds(sql`jitter_up`),
  prefilter: jitterRules(sql`jitter_up`),
  higherIsBetter: false,
  aggregatedOnly: false,
})
