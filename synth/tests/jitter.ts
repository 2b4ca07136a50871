import { sql } from '../../src/base/sql.ts'
import jitter from '../../src/catalog/tests/jitter.ts'
import { chance, logNormal } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { lossOfHour, queueOfDay } from './round-trips.ts'
import { testServer, toServer } from './servers.ts'

/** Number of packets in each direction: 500 in ten seconds, as in a voice call. */
const packets = sql`500`
const received = (direction: string) =>
  sql`500 - least(499, floor(500 * line_loss * (1 + 4 * busy * evening_dip) * ${lossOfHour} * ${logNormal(sql`0.5`, `loss ${direction}`)}
    + ${chance(`lost ${direction}`)} * 0.98))`

export default defineSynthesis({
  test: jitter,
  afterSeconds: 50,
  // A line that works loses some packets, but not all of them.
  failures: { rate: 0 },
  steps: {
    ...toServer,
    down: sql`line_jitter * (1 + busy * (0.2 + 2 * evening_dip)) * ${queueOfDay} * ${logNormal(sql`0.45`, 'jitter down')}`,
    up: sql`1.3 * line_jitter * (1 + busy * (0.2 + evening_dip)) * ${queueOfDay} * ${logNormal(sql`0.45`, 'jitter up')}`,
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
    duration: sql`10000000 + 9000 * ${logNormal(sql`1`, 'duration')}`,
    packets_down_sent: packets,
    packets_up_recv: received('up'),
    packets_down_recv: received('down'),
    // Implausible results: the clock was set back, or far forward, during the test.
    jitter_up: sql`multiIf(oddity = 1, up - clock_step, oddity = 2, 10000000 + clock_step, up)`,
    jitter_down: sql`multiIf(oddity = 3, down - clock_step, oddity = 4, 10000000 + clock_step, down)`,
    // The slowest packets met full queues of the line, of the home or of the server.
    latency: sql`server_rtt + floor_time + (up + down) * ${logNormal(sql`0.45`, 'slow packets')} + line_jitter * ${logNormal(sql`1`, 'slowest packets')}`,
  },
})
