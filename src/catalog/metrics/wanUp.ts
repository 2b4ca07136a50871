import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { megabytesWithout } from '../measure.ts'
import { usageRules } from '../prefilters/usage.ts'

export default defineMetric({
  key: 'wanUp',
  name: 'Data sent',
  description: 'Bytes that a household sent since the previous result, without those of the tests.',
  unit: 'MB',
  test: 'network_usage',
  measure: megabytesWithout(sql`wan_tx_bytes`, sql`sk_tx_bytes`),
  prefilter: usageRules,
  higherIsBetter: null,
  aggregatedOnly: false,
})
