import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { megabitsOfBytes } from '../measure.ts'
import { transferRules } from '../prefilters/transfer.ts'

export default defineMetric({
  key: 'mobileDownload',
  name: 'Mobile download speed',
  description:
    'Throughput of a download from a mobile device, after warm-up. Pools all phones, mobile operators, connection types (Wi-Fi included), cellular technologies and countries, and all test servers.',
  unit: 'mbps',
  test: 'mobile_download',
  measure: megabitsOfBytes(sql`bytes_sec`),
  prefilter: transferRules,
  higherIsBetter: true,
  aggregatedOnly: false,
  plan: 'download',
})
