import { unitKinds } from '../agent-kinds.ts'
import { bytes } from '../columns.ts'
import { defineTest } from '../define-test.ts'
import { hourlyBlocks } from '../schedules.ts'

/**
 * The test only reads counters. It attempts nothing, so it has no columns for the outcome, and no target that could identify a
 * result.
 */
export default defineTest({
  key: 'network_usage',
  name: 'Data usage',
  description:
    'Counts the traffic that crossed the WAN interface since the previous result, including the traffic of the tests.',
  family: 'unit',
  kinds: unitKinds,
  schedule: hourlyBlocks,
  identity: [],
  columns: [
    bytes('wan_rx_bytes', 'Bytes received on the WAN interface, including those of the tests.'),
    bytes('wan_tx_bytes', 'Bytes sent on the WAN interface, including those of the tests.'),
    bytes('sk_rx_bytes', 'Bytes received by the tests themselves.'),
    bytes('sk_tx_bytes', 'Bytes sent by the tests themselves.'),
  ],
})
