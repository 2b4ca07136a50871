import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { megabitsOfBytes } from '../measure.ts'
import { transferRules } from '../prefilters/transfer.ts'

export default defineMetric({
  key: 'httpget_single',
  name: 'Download speed, one connection',
  description:
    'Throughput of a download over one TCP connection, after warm-up. Pools tests over IPv4 and IPv6, to all test servers.',
  unit: 'mbps',
  test: 'httpget',
  measure: megabitsOfBytes(sql`bytes_sec`),
  rows: sql`threads = 1`,
  prefilter: transferRules,
  dimensions: ['threads', 'ip_version'],
  // Every row has the value 1.
  fixes: ['threads'],
  higherIsBetter: true,
  aggregatedOnly: false,
  plan: 'download',
})
