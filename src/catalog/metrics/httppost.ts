import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { megabitsOfBytes } from '../measure.ts'
import { transferRules } from '../prefilters/transfer.ts'

export default defineMetric({
  key: 'httppost',
  name: 'Upload speed',
  description:
    'Throughput of an upload, after warm-up. Pools tests with one and with several TCP connections, over IPv4 and IPv6, to all test servers.',
  unit: 'mbps',
  test: 'httppost',
  measure: megabitsOfBytes(sql`bytes_sec`),
  prefilter: transferRules,
  dimensions: ['threads', 'ip_version'],
  higherIsBetter: true,
  aggregatedOnly: false,
  plan: 'upload',
})
