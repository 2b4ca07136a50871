import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { megabytesWithout } from '../measure.ts'
import { usageRules } from '../prefilters/usage.ts'

export default defineMetric({
  key: 'wanDown',
  name: 'Data received',
  description: 'Bytes that a household received since the previous result, without those of the tests.',
  unit: 'MB',
  test: 'network_usage',
  measure: megabytesWithout(sql`wan_rx_bytes`, sql`sk_rx_bytes`),
  prefilter: usageRules,
  higherIsBetter: null,
  aggregatedOnly: false,
})
