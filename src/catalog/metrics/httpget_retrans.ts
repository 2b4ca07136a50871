import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { counted } from '../measure.ts'
import { transferRules } from '../prefilters/transfer.ts'

export default defineMetric({
  key: 'httpget_retrans',
  name: 'Download retransmissions',
  description: 'TCP segments sent again during a download.',
  unit: 'count',
  test: 'httpget',
  measure: counted(sql`tcp_retransmissions`),
  prefilter: transferRules,
  dimensions: ['threads', 'ip_version'],
  higherIsBetter: false,
  aggregatedOnly: false,
})
