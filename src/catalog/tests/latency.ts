import { text } from '../columns.ts'
import { defineTest } from '../define-test.ts'
import { hourlyBlocks } from '../schedules.ts'
import { packetOutcome, rttColumns } from './rtt-columns.ts'

export default defineTest({
  key: 'latency',
  name: 'Latency and packet loss',
  description: 'Sends UDP packets to a test server spread over a long period, and times those that come back.',
  family: 'unit',
  kinds: ['whitebox', 'cpe', 'web'],
  schedule: hourlyBlocks,
  identity: ['target'],
  columns: [
    text('target', 'Host name of the test server.', { required: true }),
    text('address', 'IP address of the test server.'),
    ...rttColumns,
    ...packetOutcome,
  ],
})
