import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { megabitsOfBytes } from '../measure.ts'
import { transferRules } from '../prefilters/transfer.ts'

export default defineMetric({
  key: 'httppost_multi',
  name: 'Upload speed, several connections',
  description:
    'Throughput of an upload over two or more TCP connections, after warm-up. Pools tests with any number of TCP connections above one, over IPv4 and IPv6, to all test servers.',
  unit: 'mbps',
  test: 'httppost',
  measure: megabitsOfBytes(sql`bytes_sec`),
  rows: sql`threads > 1`,
  prefilter: transferRules,
  dimensions: ['threads', 'ip_version'],
  higherIsBetter: true,
  aggregatedOnly: false,
  plan: 'upload',
})
