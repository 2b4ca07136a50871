import { sql } from '../../src/base/sql.ts'
import jitter from '../../src/catalog/tests/jitter.ts'
import { chance, logNormal } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { server, testServer } from './servers.ts'

/** Packets of a voice call: 500 in ten seconds, each way. */
const packets = sql`500`
const received = (direction: string) =>
  sql`500 - least(499, floor(500 * line_loss * (1 + 4 * busy * evening_dip) * ${logNormal(sql`1.1`, `loss ${direction}`)}
    + ${chance(`lost ${direction}`)} * 0.98))`

export default defineSynthesis({
  test: jitter,
  steps: {
    server,
    down: sql`line_jitter * (1 + 2 * busy * evening_dip) * ${logNormal(sql`0.6`, 'jitter down')}`,
    up: sql`1.3 * line_jitter * (1 + busy * evening_dip) * ${logNormal(sql`0.6`, 'jitter up')}`,
  },
  always: {
    target: testServer,
    packet_size: sql`160`,
    stream_rate: sql`64000`,
    packets_up_sent: packets,
    successes: sql`NOT is_failed`,
    failures: sql`is_failed`,
  },
  measured: {
    duration: sql`10000000 + 40000 * ${chance('duration')}`,
    packets_down_sent: packets,
    packets_up_recv: received('up'),
    packets_down_recv: received('down'),
    jitter_up: sql`multiIf(oddity = 1, -up, oddity = 2, 10000000 + up, up)`,
    jitter_down: sql`multiIf(oddity = 3, -down, oddity = 4, 10000000 + down, down)`,
    latency: sql`line_rtt + 3 * (up + down)`,
  },
})
