import { bytes, bytesPerSecond, microseconds, outcome, text } from '../columns.ts'
import { defineTest } from '../define-test.ts'
import { hourlyBlocks } from '../schedules.ts'
import { mobileColumns } from './mobile-columns.ts'

export default defineTest({
  key: 'mobile_www',
  name: 'Mobile web browsing',
  description: 'Loads the page of a popular website on a mobile device.',
  family: 'mobile',
  kinds: ['mobile'],
  schedule: hourlyBlocks,
  identity: ['target'],
  columns: [
    text('target', 'URL of the page.', { required: true }),
    microseconds('fetch_time', 'Time to fetch the page and its objects.'),
    bytes('bytes_total', 'Bytes fetched for the page and its objects.'),
    bytesPerSecond('bytes_sec', 'Throughput over the whole fetch.'),
    ...outcome,
    ...mobileColumns,
  ],
})
