import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { megabitsOfBytes } from '../measure.ts'
import { transferRules } from '../prefilters/transfer.ts'

export default defineMetric({
  key: 'httppost_single',
  name: 'Upload speed, one connection',
  description:
    'Throughput of an upload over one TCP connection, after warm-up. Pools tests over IPv4 and IPv6, to all test servers.',
  unit: 'mbps',
  test: 'httppost',
  measure: megabitsOfBytes(sql`bytes_sec`),
  rows: sql`threads = 1`,
  prefilter: transferRules,
  dimensions: ['threads', 'ip_version'],
  // Every row has the value 1.
  fixes: ['threads'],
  higherIsBetter: true,
  aggregatedOnly: false,
  plan: 'upload',
})
