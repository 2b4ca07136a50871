import { sql } from '../../src/base/sql.ts'
import mobileLatency from '../../src/catalog/tests/mobile_latency.ts'
import { chance } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { phoneColumns } from './phone-columns.ts'
import { radioLoss, radioFailures, radioSteps } from './radios.ts'
import { roundTripColumns, roundTripSteps } from './round-trips.ts'
import { addressOf, testServer, toServer } from './servers.ts'

export default defineSynthesis({
  test: mobileLatency,
  afterSeconds: 0,
  failures: radioFailures(0.0002),
  steps: {
    ...toServer,
    ...radioSteps,
    ...roundTripSteps({
      sent: sql`if(oddity = 1, 12, 60)`,
      rtt: sql`radio_rtt + server_rtt`,
      jitter: sql`0.5 * radio_jitter`,
      loss: radioLoss,
    }),
  },
  always: {
    target: testServer,
    address: addressOf(sql`server`, sql`has_ipv6`),
    packets_sent: sql`sent`,
    packets_received: sql`if(is_failed, 0, sent - lost)`,
    successes: sql`NOT is_failed`,
    failures: sql`is_failed`,
    ...phoneColumns,
  },
  measured: { ...roundTripColumns, jitter: sql`queue * (0.4 + 0.4 * ${chance('jitter')})` },
})
