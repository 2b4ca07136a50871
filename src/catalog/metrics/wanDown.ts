import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { megabytesOfBytes } from '../measure.ts'
import { usageRules } from '../prefilters/usage.ts'

export default defineMetric({
  key: 'wanDown',
  name: 'Data received',
  description: 'Bytes a household received since the previous result, the tests left out.',
  unit: 'MB',
  test: 'network_usage',
  measure: megabytesOfBytes(sql`wan_rx_bytes - sk_rx_bytes`),
  prefilter: usageRules,
  higherIsBetter: true,
  aggregatedOnly: false,
})
