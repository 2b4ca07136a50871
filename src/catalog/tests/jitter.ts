import { unitKinds } from '../agent-kinds.ts'
import { bitsPerSecond, bytes, microseconds, outcome, packets, text } from '../columns.ts'
import { defineTest } from '../define-test.ts'
import { hourlyBlocks } from '../schedules.ts'

export default defineTest({
  key: 'jitter',
  name: 'Jitter',
  description: 'Exchanges a UDP stream like that of a voice call with a test server, in both directions.',
  family: 'unit',
  kinds: unitKinds,
  schedule: hourlyBlocks,
  // `target` alone distinguishes the results of an agent, because an agent runs only one stream at a time. Packet size and
  // packet rate only configure the test.
  identity: ['target'],
  columns: [
    text('target', 'Host name of the test server.', { required: true }),
    bytes('packet_size', 'Size of each UDP packet of the stream.'),
    bitsPerSecond('stream_rate', 'Rate at which the stream is sent in each direction.'),
    microseconds('duration', 'Duration of the whole test.'),
    packets('packets_up_sent', 'Packets sent upstream, counted by the agent.'),
    packets('packets_down_sent', 'Packets sent downstream, counted by the test server.'),
    packets('packets_up_recv', 'Upstream packets that arrived, counted by the test server.'),
    packets('packets_down_recv', 'Downstream packets that arrived, counted by the agent.'),
    microseconds('jitter_up', 'Variation in the delay of upstream packets.'),
    microseconds('jitter_down', 'Variation in the delay of downstream packets.'),
    microseconds('latency', '99th percentile of the round-trip times, not a mean.'),
    ...outcome,
  ],
})
