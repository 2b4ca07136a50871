import { unitKinds } from '../agent-kinds.ts'
import { microseconds, outcome, packets, text, tinyNumber } from '../columns.ts'
import { defineTest } from '../define-test.ts'
import { hourlyBlocks } from '../schedules.ts'

export default defineTest({
  key: 'traceroute',
  name: 'Traceroute',
  description: 'Finds the routers on the path to a host, one row for each hop.',
  family: 'unit',
  kinds: unitKinds,
  schedule: hourlyBlocks,
  identity: ['target', 'hop'],
  columns: [
    text('target', 'Host the path leads to.', { required: true }),
    text('address', 'IP address of the target; the hop with the same address is the end of the path.'),
    text('protocol', 'Protocol of the probes, for example icmp or udp.'),
    tinyNumber('hop', 'Number of the hop, counted from the agent; the first hop is 1.', { required: true }),
    text('hop_address', 'IP address that answered at this hop; missing if no address answered.'),
    text('hop_name', 'Host name of the hop address.'),
    packets('sent', 'Probes sent to this hop.'),
    packets('received', 'Probes this hop answered.'),
    microseconds('rtt_avg', 'Mean round-trip time to this hop over the answered probes.'),
    ...outcome,
  ],
})
