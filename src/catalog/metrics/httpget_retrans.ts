import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { counted } from '../measure.ts'
import { transferRules } from '../prefilters/transfer.ts'

export default defineMetric({
  key: 'httpget_retrans',
  name: 'Download retransmissions',
  description:
    'TCP segments retransmitted during a download. Pools tests with one and with several TCP connections, over IPv4 and IPv6, to all test servers.',
  unit: 'count',
  test: 'httpget',
  measure: counted(sql`tcp_retransmissions`),
  prefilter: transferRules,
  dimensions: ['threads', 'ip_version'],
  higherIsBetter: false,
  aggregatedOnly: false,
})
