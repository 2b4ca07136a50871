import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { megabytesOfBytes } from '../measure.ts'
import { usageRules } from '../prefilters/usage.ts'

export default defineMetric({
  key: 'wanUp',
  name: 'Data sent',
  description: 'Bytes a household sent since the previous result, the tests left out.',
  unit: 'MB',
  test: 'network_usage',
  measure: megabytesOfBytes(sql`wan_tx_bytes - sk_tx_bytes`),
  prefilter: usageRules,
  higherIsBetter: true,
  aggregatedOnly: false,
})
