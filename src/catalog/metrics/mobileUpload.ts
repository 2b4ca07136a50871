import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { megabitsOfBytes } from '../measure.ts'
import { transferRules } from '../prefilters/transfer.ts'

export default defineMetric({
  key: 'mobileUpload',
  name: 'Mobile upload speed',
  description:
    'Throughput of an upload from a mobile device, after warm-up. Pools all phones, mobile operators, connection types (Wi-Fi included), cellular technologies and countries, and all test servers.',
  unit: 'mbps',
  test: 'mobile_upload',
  measure: megabitsOfBytes(sql`bytes_sec`),
  prefilter: transferRules,
  higherIsBetter: true,
  aggregatedOnly: false,
  plan: 'upload',
})
