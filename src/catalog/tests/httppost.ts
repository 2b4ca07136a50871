import { defineTest } from '../define-test.ts'
import { speedTestBlocks } from '../schedules.ts'
import { transferColumns } from './transfer-columns.ts'

export default defineTest({
  key: 'httppost',
  name: 'Upload speed',
  description: 'Uploads to a test server over one or several TCP connections for a fixed time.',
  family: 'unit',
  kinds: ['whitebox', 'cpe', 'web'],
  schedule: speedTestBlocks,
  identity: ['target', 'sequence', 'threads', 'ip_version'],
  columns: transferColumns,
})
