import { sql } from '../../src/base/sql.ts'
import latency from '../../src/catalog/tests/latency.ts'
import { is } from '../agents.ts'
import { chance, logNormal } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { householdUse } from './households.ts'
import { packetOutcome, roundTripColumns, roundTripSteps } from './round-trips.ts'
import { addressOf, testServer, toServer } from './servers.ts'

export default defineSynthesis({
  test: latency,
  afterSeconds: 'end of the hour',
  // A line that works loses some packets, but not all of them.
  failures: { rate: 0 },
  steps: {
    ...toServer,
    ...householdUse,
    // The part of its speed that the household uses. The test sends few packets while it does, and those that it sends wait.
    line_use: sql`least(1, wanted / (advertised_down * attained * 3000))`,
    ...roundTripSteps({
      sent: sql`multiIf(oddity = 1, 12, ${is('web')}, 60, toUInt16(600 - 250 * sqrt(line_use) * (0.5 + 0.5 * ${chance('sent')})
        - 30 * ${chance('not sent')} * ${chance('not sent')}))`,
      rtt: sql`server_rtt`,
      buffered: sql`0.3 * access_rtt * line_use * ${logNormal(sql`0.6`, 'buffered')}`,
    }),
  },
  always: { target: testServer, address: addressOf(sql`server`, sql`false`), ...packetOutcome },
  measured: roundTripColumns,
})
