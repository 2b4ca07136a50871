import { unitKinds } from '../agent-kinds.ts'
import { text } from '../columns.ts'
import { defineTest } from '../define-test.ts'
import { hourlyBlocks } from '../schedules.ts'
import { packetOutcome, rttColumns } from './rtt-columns.ts'

export default defineTest({
  key: 'ping',
  name: 'Ping',
  description: 'Sends a short series of ICMP echo requests to a host and times the replies.',
  family: 'unit',
  kinds: unitKinds,
  schedule: hourlyBlocks,
  identity: ['target'],
  columns: [text('target', 'Host that was pinged.', { required: true }), ...rttColumns, ...packetOutcome],
})
