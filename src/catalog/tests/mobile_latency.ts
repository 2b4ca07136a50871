import { microseconds, outcome, packets, text } from '../columns.ts'
import { defineTest } from '../define-test.ts'
import { hourlyBlocks } from '../schedules.ts'
import { mobileColumns } from './mobile-columns.ts'
import { rttColumns } from './rtt-columns.ts'

export default defineTest({
  key: 'mobile_latency',
  name: 'Mobile latency, jitter and packet loss',
  description: 'Sends a series of UDP packets from a mobile device to a test server, and times those that come back.',
  family: 'mobile',
  kinds: ['mobile'],
  schedule: hourlyBlocks,
  identity: ['target'],
  columns: [
    text('target', 'Host name of the test server.', { required: true }),
    text('address', 'IP address of the test server.'),
    ...rttColumns,
    microseconds('jitter', 'Variation in the delay of the answered packets.'),
    packets('packets_sent', 'Packets sent to the test server.'),
    packets('packets_received', 'Packets that came back in time.'),
    ...outcome,
    ...mobileColumns,
  ],
})
