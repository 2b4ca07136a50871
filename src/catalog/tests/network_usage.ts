import { unitKinds } from '../agent-kinds.ts'
import { bytes } from '../columns.ts'
import { defineTest } from '../define-test.ts'
import { hourlyBlocks } from '../schedules.ts'

/** Reads counters and attempts nothing, so it has no outcome, and no target to be identified by. */
export default defineTest({
  key: 'network_usage',
  name: 'Data usage',
  description: 'Counts the traffic that crossed the WAN interface since the previous result, the tests included.',
  family: 'unit',
  kinds: unitKinds,
  schedule: hourlyBlocks,
  identity: [],
  columns: [
    bytes('wan_rx_bytes', 'Bytes received on the WAN interface, those of the tests included.'),
    bytes('wan_tx_bytes', 'Bytes sent on the WAN interface, those of the tests included.'),
    bytes('sk_rx_bytes', 'Bytes received by the tests themselves.'),
    bytes('sk_tx_bytes', 'Bytes sent by the tests themselves.'),
  ],
})
