import { defineTest } from '../define-test.ts'
import { hourlyBlocks } from '../schedules.ts'
import { mobileTransferColumns } from './mobile-transfer-columns.ts'

export default defineTest({
  key: 'mobile_download',
  name: 'Mobile download speed',
  description: 'Downloads from a test server over several TCP connections for a fixed time, from a mobile device.',
  family: 'mobile',
  kinds: ['mobile'],
  schedule: hourlyBlocks,
  identity: ['target', 'threads'],
  columns: mobileTransferColumns,
})
