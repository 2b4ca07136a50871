import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'

export default defineMetric({
  key: 'httpget',
  name: 'Download speed',
  description: 'Throughput of a download over several TCP connections, after warm-up.',
  unit: 'mbps',
  test: 'httpget',
  // Decimal megabits: operators advertise, and regulators publish, powers of ten.
  value: sql`bytes_sec * 8 / 1e6`,
  higherIsBetter: true,
  aggregatedOnly: false,
})
