import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { counted } from '../measure.ts'
import { transferRules } from '../prefilters/transfer.ts'

export default defineMetric({
  key: 'httppost_retrans',
  name: 'Upload retransmissions',
  description:
    'TCP segments retransmitted during an upload. Pools tests with one and with several TCP connections, over IPv4 and IPv6, to all test servers.',
  unit: 'count',
  test: 'httppost',
  measure: counted(sql`tcp_retransmissions`),
  prefilter: transferRules,
  dimensions: ['threads', 'ip_version'],
  higherIsBetter: false,
  aggregatedOnly: false,
})
